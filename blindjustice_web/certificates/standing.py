"""What may be done with the models of a study now, and why not."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.models import CandidateModel, ModelState
from blindjustice_web.certificates.validity import revocation_of
from blindjustice_web.engine import engine_sweeps
from blindjustice_web.enrolment.models import DataUpload
from blindjustice_web.lib.labels import JobKind, JobState, Verdict
from blindjustice_web.lib.problems import Refused
from blindjustice_web.studies.models import Study, StudyState
from blindjustice_web.studies.questions import bits_text, ledger_of
from blindjustice_web.studies.services import approved_configuration


@dataclass(frozen=True)
class CertificationStanding:
    """What all models of a study have in common, read once for however many models.

    ``being_judged``: ids of the models whose certification waits or runs; ``asked`` those and the
    ones that were asked about, of ``most_models`` that may be. ``unpayable``: why the ledgers can't
    be charged for one more certification, None where they can.
    """

    is_closed: bool
    data_at_modeler: bool
    data_missing: bool
    being_judged: frozenset[str]
    asked: frozenset[str]
    most_models: int
    unpayable: Refused | None

    def why_not_certifiable(self, model: CandidateModel) -> Refused | None:
        """Return why a model can't be put to certification now, or None."""
        if self.data_at_modeler:
            return Refused(
                "CERTIFICATION_NEEDS_REGULATOR_DATA",
                _("A model of this study is certified in another one, with data at the regulator."),
            )
        if not self.is_closed:
            return Refused(
                "STUDY_NOT_CLOSED", _("Close the study first: then the records are fixed.")
            )
        if model.state != ModelState.ACCEPTED:
            return Refused("MODEL_NOT_HELD", _("The modeler's party does not hold this model."))
        if model.results.exists():
            return Refused(
                "MODEL_ALREADY_JUDGED",
                _("This model has a verdict; the same question would get the same answer."),
            )
        if model.id in self.being_judged:
            return Refused("MODEL_BEING_JUDGED", _("This model is being certified."))
        if self.data_missing:
            return Refused("DATA_MISSING", _("The data file of this study has not arrived yet."))
        if model.id not in self.asked and len(self.asked) >= self.most_models:
            return Refused(
                "QUESTIONS_SPENT",
                _("This study asks about %(most)s models at most, and it asked about as many.")
                % {"most": self.most_models},
            )
        return self.unpayable

    def why_not_deployable(self, model: CandidateModel) -> Refused | None:
        """Return why a model can't be put into use, or None."""
        if self.data_at_modeler:
            return Refused(
                "MODEL_NEEDS_ANOTHER_STUDY",
                _("A trained model is put into use in the study that certifies it."),
            )
        if model.state != ModelState.ACCEPTED:
            return Refused("MODEL_NOT_HELD", _("The modeler's party does not hold this model."))
        if any(result.verdict != Verdict.PASS for result in model.results.all()):
            return Refused(
                "MODEL_FAILED",
                _("This model was judged and did not pass, so it can't be put into use here."),
                next_step=_("Put a model into use that has a certificate."),
            )
        certificate = getattr(model, "certificate", None)
        if certificate is not None and revocation_of(certificate) is not None:
            return Refused(
                "CERTIFICATE_REVOKED",
                _(
                    "The regulator revoked this model's certificate, so it can't be put into use "
                    "here."
                ),
            )
        return None


def standing_of(study: Study) -> CertificationStanding:
    """Return where a study's models stand; Refused before both parties approved the study."""
    configuration = approved_configuration(study)
    arrived = study.data_uploads.filter(state=DataUpload.State.ACCEPTED).exists()
    waits_or_runs = study.jobs.filter(state__in=(JobState.QUEUED, JobState.RUNNING))
    judging = waits_or_runs.filter(kind=JobKind.CERTIFICATION)
    being_judged = frozenset(judging.values_list("subject_id", flat=True))
    return CertificationStanding(
        is_closed=study.state == StudyState.CLOSED,
        data_at_modeler=configuration.data_holder.value == Role.MODELER,
        data_missing=configuration.data_source == "file" and not arrived,
        being_judged=being_judged,
        asked=ledger_of(study).asked | being_judged,
        most_models=configuration.policy.questions,
        unpayable=_unpayable(study) if study.state == StudyState.CLOSED else None,
    )


def _unpayable(study: Study) -> Refused | None:
    """Return why the answers left can't pay for a certification of everybody, or None."""
    charge = engine_sweeps.certification_millibits(approved_configuration(study), study.n_records)
    ledger = ledger_of(study)
    if charge <= ledger.left_millibits:
        return None
    return Refused(
        "QUESTION_BITS_SPENT",
        _(
            "A certification of %(n)s people tells %(bits)s bits, and %(left)s of %(limit)s are "
            "left."
        )
        % {
            "n": study.n_records,
            "bits": bits_text(charge),
            "left": ledger.left,
            "limit": ledger.limit,
        },
        next_step=_(
            "A party whose own limit is lower than the study's can raise it; else certify in a "
            "study that names a higher limit."
        ),
    )
