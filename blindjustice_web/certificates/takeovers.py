"""Trained models taken over into the study that certifies them, inside the modeler's party."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.certificates.models import CandidateModel, ModelState
from blindjustice_web.certificates.trainings import bounds_text
from blindjustice_web.engine import engine_client, engine_sweeps, engine_texts
from blindjustice_web.engine.engine_post import about_models
from blindjustice_web.lib import push
from blindjustice_web.lib.problems import NotThere, Refused, Unusable
from blindjustice_web.post.outbox import send_to_party
from blindjustice_web.studies.access import studies_for
from blindjustice_web.studies.models import Study
from blindjustice_web.studies.services import approved_configuration


@dataclass(frozen=True)
class TrainedModelView:
    """A trained model of another study that can be taken over."""

    id: str
    name: str
    study_id: str
    study_title: str
    c: str


def models_to_take_over(study: Study) -> list[TrainedModelView]:
    """Return the modeler's trained models that a certifying study can take over, by study and c.

    Those of a study whose configuration this version can't read are passed over.
    """
    configuration = approved_configuration(study)
    if configuration.data_holder.value == Role.MODELER:
        return []
    taken = study.models.exclude(trained_as=None).exclude(state=ModelState.REFUSED)
    here = taken.values_list("trained_as_id", flat=True)
    found = CandidateModel.objects.filter(
        study__modeler=study.modeler, state=ModelState.ACCEPTED, trained_as=None
    ).exclude(bounds=[])
    models = found.exclude(pk__in=here).select_related("study__configuration")
    return [
        TrainedModelView(
            model.id, model.name, model.study_id, model.study.title, bounds_text(model.bounds)
        )
        for model in models.order_by("study__title", "created_at")
        if engine_texts.is_configuration_readable(model.study.configuration.text)
        and _fits(model, configuration)
    ]


@transaction.atomic
def take_over_models(
    study: Study, user: User, text: str, key_id: str, signature: str
) -> list[CandidateModel]:
    """Hand trained models to a study that certifies; the modeler's party copies them itself.

    The same signed text again changes nothing.
    """
    configuration = approved_configuration(study)
    if configuration.data_holder.value == Role.MODELER:
        raise Refused(
            "CERTIFICATION_NEEDS_REGULATOR_DATA",
            _("A model of this study is certified in another one, with data at the regulator."),
        )
    takeover = engine_sweeps.read_takeover(text)
    if (takeover.study_id, takeover.configuration) != (
        configuration.study_id,
        configuration.digest,
    ):
        raise Unusable(
            "TAKEOVER_FOR_ANOTHER_STUDY", _("The signed text names another study, or its draft.")
        )
    engine_client.check_approval("takeover", text, Role.MODELER, key_id, signature)
    approval = engine_client.read_approval_of(Role.MODELER, key_id, signature)
    pairs = [(new.hex(), old.hex()) for new, old in takeover.trained_as.items()]
    trained = _trained_models(user, [old for _new, old in pairs], configuration)
    digest = engine_client.text_digest(text)
    models = []
    for model_id, trained_as in pairs:
        source = trained[trained_as]
        model, fresh = CandidateModel.objects.get_or_create(
            id=model_id,
            defaults={
                "study": study,
                "name": source.name,
                "envelope_digest": digest,
                "created_by": user,
                "bounds": source.bounds,
                "constraint": source.constraint,
                "trained_as": source,
            },
        )
        if (model.study_id, model.envelope_digest) != (study.id, digest):
            raise Refused("MODEL_ID_TAKEN", _("Another model was handed in under this id."))
        if fresh:
            order = about_models.TakeOverModel(
                study_id=bytes.fromhex(study.id),
                model_id=bytes.fromhex(model_id),
                text=text,
                approval=approval,
            )
            send_to_party(Role.MODELER, order)
            origin = f"trained as {trained_as}"
            record(EntryKind.MODEL_TAKEN_OVER, study=study, subject=model_id, detail=origin)
        models.append(model)
    push.push_change(push.study_group(study.id), "models")
    return models


def _trained_models(
    user: User, ids: Iterable[str], configuration: engine_client.Configuration
) -> dict[str, CandidateModel]:
    """Return trained models of the user's organisation; NotThere if one is not among them."""
    wanted = set(ids)
    found = CandidateModel.objects.filter(
        pk__in=wanted,
        study__in=studies_for(user),
        state=ModelState.ACCEPTED,
        trained_as=None,
    ).exclude(bounds=[])
    models = {model.id: model for model in found.select_related("study__configuration")}
    if set(models) != wanted:
        raise NotThere
    if not all(_fits(model, configuration) for model in models.values()):
        raise Refused(
            "MODEL_OTHER_FEATURES",
            _("A model was trained on other features, or other units of them."),
        )
    return models


def _fits(model: CandidateModel, configuration: engine_client.Configuration) -> bool:
    trained_on = engine_client.read_configuration(model.study.configuration.text)
    return engine_sweeps.takes_models_of(configuration, trained_on)
