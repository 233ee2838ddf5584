"""What pages and the API show of models, verdicts and certificates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Prefetch, QuerySet, prefetch_related_objects
from django.urls import reverse

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.acknowledgements import (
    AcknowledgementView,
    acknowledgements_of,
)
from blindjustice_web.certificates.models import (
    CandidateModel,
    Certificate,
    CertificationResult,
    ModelState,
    SealedModel,
)
from blindjustice_web.certificates.standing import CertificationStanding, standing_of
from blindjustice_web.certificates.validity import revocation_of, status_of
from blindjustice_web.engine import engine_sweeps
from blindjustice_web.lib.labels import CriterionName, NoVerdict, Verdict, sentence_of
from blindjustice_web.lib.named import Named, PartyRefusal
from blindjustice_web.presentation.cards.groups import GroupView, groups_told
from blindjustice_web.presentation.cards.studies import limit_text
from blindjustice_web.presentation.reports.catalogue import report_names
from blindjustice_web.presentation.reports.opened import why_not_offered
from blindjustice_web.presentation.words.accuracy import accuracy_sentence, holdout_sentence
from blindjustice_web.studies.models import Study
from blindjustice_web.studies.questions import bits_text, ledger_of
from blindjustice_web.studies.services import approved_configuration


@dataclass(frozen=True)
class ThresholdView:
    """The verdict at one threshold of a criterion; ``limit`` is the threshold as people read it."""

    criterion: Named
    threshold: str
    limit: str
    verdict: Named
    worst_case: Named | None
    best_case: Named | None
    """The verdicts at worst and at best, where the policy bounds missing answers."""


@dataclass(frozen=True)
class VerdictView:
    """What certification found about a model."""

    verdict: Named
    reason: str
    reason_sentence: str
    thresholds: list[ThresholdView]
    at: datetime
    group_counts: list[str]
    """The headings of the groups' counts; none where no table is opened."""
    groups: list[GroupView]
    reports: list[Named]
    """The reports that the opened counts allow, by the names of their addresses."""


@dataclass(frozen=True)
class ModelView:
    """A model handed in, with what happened to it."""

    id: str
    name: str
    state: Named
    refusal: PartyRefusal | None
    verdict: VerdictView | None
    certificate_url: str
    certificate_status: Named | None
    deployed_at: datetime | None
    deployment_sent_at: datetime | None
    can_certify: bool
    why_not_certify: str
    can_deploy: bool
    accuracy: str
    holdout: str
    can_open: bool
    can_revoke: str
    """The id of the certificate that the viewer may take back, or ""."""
    acknowledgements: list[AcknowledgementView]
    """Which party knows that the certificate was taken back; none where it was not."""
    at: datetime


@dataclass(frozen=True)
class CertificationsView:
    """Models that can be put to certification together, and what their verdicts count, in bits."""

    models: list[str]
    bits_each: str
    bits: str
    left: str


@dataclass(frozen=True)
class CertificateCard:
    """A certificate in a list."""

    id: str
    url: str
    study_id: str
    study_title: str
    modeler_name: str
    regulator_name: str
    verdict: Named
    status: Named
    valid_from: datetime
    valid_until: datetime
    n_records: int
    model_name: str
    n_alarms: int
    issued_at: datetime

    @property
    def leading(self) -> Named:
        """Return what is said of it first: that it is not valid, or else the verdict."""
        return self.verdict if self.status.value == "VALID" else self.status


def verdict_view(result: CertificationResult) -> VerdictView:
    """Return a verdict in words."""
    headings, groups = groups_told(result)
    return VerdictView(
        verdict=Named.of(Verdict(result.verdict)),
        reason=result.reason,
        reason_sentence=sentence_of(NoVerdict(result.reason)) if result.reason else "",
        thresholds=[
            ThresholdView(
                criterion=Named.of(CriterionName(row["criterion"])),
                threshold=row["threshold"],
                limit=limit_text(row["criterion"], row["threshold"]),
                verdict=Named.of(Verdict(row["verdict"])),
                worst_case=_bound(row, "worst_case"),
                best_case=_bound(row, "best_case"),
            )
            for row in result.thresholds
        ],
        at=result.at,
        group_counts=headings,
        groups=groups,
        reports=[] if why_not_offered(result, result.groups) else report_names(),
    )


def _bound(row: dict[str, str], name: str) -> Named | None:
    return Named.of(Verdict(row[name])) if name in row else None


def model_view(model: CandidateModel, role: Role) -> ModelView:
    """Return a model as a member of one party sees it."""
    return model_views(model.study, [model], role)[0]


def model_views(study: Study, models: Sequence[CandidateModel], role: Role) -> list[ModelView]:
    """Return models of a study as a member of one party sees them.

    It takes no more queries for many than for one.
    """
    if not models:
        return []
    ids = [model.id for model in models]
    newest_first = CertificationResult.objects.order_by("-at")
    prefetch_related_objects(models, Prefetch("results", queryset=newest_first))
    standing, refusals = standing_of(study), _refusals_of(study, ids)
    sealed = SealedModel.objects.filter(pk__in=ids)
    can_be_opened = set(sealed.values_list("pk", flat=True)) if role == Role.MODELER else set()
    return [
        _model_view(
            model, role, standing, refusals.get(model.id), can_open=model.id in can_be_opened
        )
        for model in models
    ]


def _model_view(
    model: CandidateModel,
    role: Role,
    standing: CertificationStanding,
    refusal: PartyRefusal | None,
    *,
    can_open: bool,
) -> ModelView:
    result = next(iter(model.results.all()), None)
    certificate = getattr(model, "certificate", None)
    why_not = standing.why_not_certifiable(model)
    mine = role == Role.MODELER
    can_deploy = model.deployed_at is None and standing.why_not_deployable(model) is None
    return ModelView(
        id=model.id,
        name=model.name,
        state=Named.of(ModelState(model.state)),
        refusal=refusal,
        verdict=verdict_view(result) if result else None,
        certificate_url=_url(certificate) if certificate else "",
        certificate_status=status_of(certificate) if certificate else None,
        deployed_at=model.deployed_at,
        deployment_sent_at=model.deployment_sent_at,
        can_certify=mine and why_not is None,
        why_not_certify=str(why_not.detail) if mine and why_not else "",
        can_deploy=mine and can_deploy,
        accuracy=accuracy_sentence(model),
        holdout=holdout_sentence(result) if result is not None else "",
        can_open=can_open,
        can_revoke=certificate.id
        if certificate and not mine and revocation_of(certificate) is None
        else "",
        acknowledgements=_acknowledgements(certificate),
        at=model.created_at,
    )


def certifications_to_ask(study: Study, models: Sequence[ModelView]) -> CertificationsView | None:
    """Return what asking for all certifications at once would ask; None for fewer than two."""
    ready = [model.id for model in models if model.can_certify]
    if len(ready) < 2:
        return None
    each = engine_sweeps.certification_millibits(
        approved_configuration(study), study.n_records or 0
    )
    return CertificationsView(
        models=ready,
        bits_each=bits_text(each),
        bits=bits_text(len(ready) * each),
        left=ledger_of(study).left,
    )


def models_of(study: Study) -> QuerySet[CandidateModel]:
    """Return the models of a study, newest first, for `model_views`."""
    models = study.models.select_related("certificate__revocation", "trained_as")
    models = models.prefetch_related("certificate__revocation__deliveries")
    return models.order_by("-created_at", "pk")


def certificate_card(certificate: Certificate, n_alarms: int) -> CertificateCard:
    """Return a certificate for a list."""
    study = certificate.study
    return CertificateCard(
        id=certificate.id,
        url=_url(certificate),
        study_id=study.id,
        study_title=study.title,
        modeler_name=study.modeler.name,
        regulator_name=study.regulator.name,
        verdict=Named.of(Verdict(certificate.result.verdict)),
        status=status_of(certificate),
        valid_from=certificate.valid_from,
        valid_until=certificate.valid_until,
        n_records=study.n_records,
        model_name=certificate.model.name,
        n_alarms=n_alarms,
        issued_at=certificate.issued_at,
    )


def verdicts_by_study(study_ids: Iterable[str]) -> dict[str, list[Named]]:
    """Return the verdicts found in each study, oldest first; studies without any are missing."""
    results = CertificationResult.objects.filter(model__study__in=set(study_ids)).order_by("at")
    verdicts: dict[str, list[Named]] = {}
    for study_id, verdict in results.values_list("model__study_id", "verdict"):
        verdicts.setdefault(study_id, []).append(Named.of(Verdict(verdict)))
    return verdicts


def studies_with_figure(study_ids: Iterable[str]) -> set[str]:
    """Return those of some studies that judged several models of a training: they show a sweep."""
    results = CertificationResult.objects.filter(
        model__study__in=set(study_ids), model__trained_as__isnull=False
    )
    models = results.order_by().values("model__study_id").annotate(n=Count("model", distinct=True))
    return {row["model__study_id"] for row in models if row["n"] > 1}


def results_of(study: Study) -> QuerySet[CertificationResult]:
    """Return every verdict of a study, oldest first."""
    return (
        CertificationResult.objects.filter(model__study=study)
        .select_related("model__study__configuration")
        .order_by("at")
    )


def _refusals_of(study: Study, ids: Sequence[str]) -> dict[str, PartyRefusal]:
    """Return the last word of the modeler's party on each of these models that it refused."""
    refused = study.models.filter(pk__in=ids, state=ModelState.REFUSED).values("pk")
    said = study.refusals.filter(about="model", object_id__in=refused).order_by("at")
    return {
        one.object_id: PartyRefusal(one.code, one.sentence, Named.of(Role(one.role)), one.at)
        for one in said
    }


def _acknowledgements(certificate: Certificate | None) -> list[AcknowledgementView]:
    revocation = revocation_of(certificate) if certificate else None
    return acknowledgements_of(revocation) if revocation else []


def _url(certificate: Certificate) -> str:
    return reverse("certificate_detail", args=(certificate.id,))
