"""Studies: draft, submit, read, invite, close."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Body, Router, Schema, Status
from pydantic import Field

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import role_of, user_of
from blindjustice_web.api.fields import IdText, LongText, PathId, Signature64
from blindjustice_web.api.proposals import ProposalOut, proposal_out
from blindjustice_web.certificates.services import propose_certification
from blindjustice_web.certificates.trainings import propose_training
from blindjustice_web.enrolment.selectors import RecordCounts, counts_of, counts_of_many
from blindjustice_web.enrolment.services import SignedInvitations, invite
from blindjustice_web.lib.labels import Constraint
from blindjustice_web.lib.paging import api_page
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.lib.throttle import spend_by_account
from blindjustice_web.presentation.cards.questions import ledger_view
from blindjustice_web.presentation.cards.studies import keys_of
from blindjustice_web.studies.access import public_study, require_role, studies_for, study_for
from blindjustice_web.studies.models import Study, StudyState
from blindjustice_web.studies.services import (
    create_study,
    propose_closing,
    replace_draft,
    submit_study,
)
from blindjustice_web.studies.texts import ONLY_MODELER

router = Router(tags=["studies"])
SHOWN = ("number", "asked", "asked_at", "n_people", "model_id", "millibits", "agreement")


class StudyId(Schema):
    """The id of a study."""

    study_id: str


class Counts(Schema):
    """How many records there are at each step."""

    invited: int
    submitted: int
    readable: int
    refused: int
    records: int
    invalid: int
    disagreed: int
    data_rows: int


class StudyOut(Schema):
    """A study as its two organisations see it."""

    study_id: str
    title: str
    state: str
    role: str
    configuration_digest: str
    record_set: str
    keys: list[str]
    counts: Counts


class KeyOut(Schema):
    """A party's signed message that announces its current sealing key."""

    role: str
    body: str
    signature: str


class ConfigurationOut(Schema):
    """The exact text both parties approved, its digest, and the parties' current sealing keys."""

    text: str
    digest: str
    keys: list[KeyOut]


class StatementOut(Schema):
    """A party's signed word about a question; the message holds the whole entry of its ledger."""

    role: str
    outcome: str
    body: str
    signature: str


class QuestionOut(Schema):
    """A question about a study's people: ``agreement`` is yes, waiting or no."""

    number: int
    kind: str
    asked: str
    asked_at: datetime
    n_people: int
    model_id: str
    outcome: str
    millibits: int
    agreement: str
    statements: list[StatementOut]


class LedgerOut(Schema):
    """What was asked of a study's people, and how much the answers can have told.

    ``models_asked``: of how many models certifications of this study asked, of ``models_limit``
    that may be; null where models are trained.
    """

    questions: list[QuestionOut]
    spent_millibits: int
    limit_millibits: int
    models_asked: int
    models_limit: int | None
    agreement: str
    takes_answers: bool


class InvitationsIn(Schema):
    """Two lists of credentials, each signed by an approver of the inviter."""

    modeler_text: LongText
    regulator_text: LongText
    key_id: IdText
    modeler_signature: Signature64
    regulator_signature: Signature64


class BatchOut(Schema):
    """A list of invitations that was handed to both parties."""

    batch_id: str
    count: int


class CertificationIn(Schema):
    """Which model to certify."""

    model_id: IdText


class TrainingIn(Schema):
    """The settings of a training; the answer's 422 names what is wrong with them.

    ``constraint``: the rate to keep alike between groups. ``points``: each trains a model; it holds
    c for every constraint. ``recipient``: the X-Wing key, hex, that the models are sealed to.
    """

    preset: Annotated[str, Field(max_length=40)] = "recommended"
    constraint: Annotated[str, Field(max_length=40)] = Constraint.ACCEPTANCE_RATE.value
    steps: Annotated[int, Field(strict=True)]
    batch_size: Annotated[int, Field(strict=True)] = 64
    points: Annotated[
        list[Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=128)]],
        Field(max_length=12),
    ]
    output_frac_bits: Annotated[int, Field(strict=True)] = 16
    recipient: Annotated[str, Field(max_length=2432)]


@router.post("studies", response={201: StudyId})
def study_create(request: HttpRequest, payload: Body[dict[str, Any]]) -> Status[dict[str, str]]:
    """Store a draft: a configuration without study_id and without the parties' keys."""
    spend_by_account(request, "UPLOADS")
    study = create_study(user_of(request), payload)
    return Status(201, {"study_id": study.id})


@router.put("studies/{study_id}", response=StudyId)
def study_replace(
    request: HttpRequest, study_id: PathId, payload: Body[dict[str, Any]]
) -> dict[str, str]:
    """Replace the draft of a study nobody was asked to approve yet."""
    spend_by_account(request, "UPLOADS")
    access = study_for(request.user, study_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    return {"study_id": replace_draft(access.study, payload).id}


@router.post("studies/{study_id}/submit", response={202: StudyOut})
def study_submit(request: HttpRequest, study_id: PathId) -> Status[dict[str, Any]]:
    """Ask both parties for their keys; when both came, a proposal is there to approve."""
    access = study_for(request.user, study_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    return Status(202, study_out(submit_study(access.study), access.role))


@router.get("studies", response=list[StudyOut])
def study_list(request: HttpRequest, response: HttpResponse) -> list[dict[str, Any]]:
    """Return the studies of your organisation, newest first, in pages."""
    user = user_of(request)
    found = studies_for(user).prefetch_related("keys").order_by("-created_at", "pk")
    rows, role = api_page(request, response, found), role_of(user)
    counts = counts_of_many(rows)
    return [_shown(study, role, counts[study.id]) for study in rows if role is not None]


@router.get("studies/{study_id}", response=StudyOut)
def study_read(request: HttpRequest, study_id: PathId) -> dict[str, Any]:
    """Return where a study stands."""
    access = study_for(request.user, study_id)
    return study_out(access.study, access.role)


@router.get("studies/{study_id}/configuration", auth=None, response=ConfigurationOut)
def study_configuration(request: HttpRequest, study_id: PathId) -> dict[str, Any]:
    """Return the approved configuration; before approval, to the two organisations only."""
    try:
        study = public_study(study_id)
    except NotThere:
        study = study_for(request.user, study_id).study
    configuration = getattr(study, "configuration", None)
    if configuration is None:
        raise NotThere
    return {
        "text": configuration.text,
        "digest": configuration.digest,
        "keys": [key.statement for key in keys_of(study) if key.present],
    }


@router.get("studies/{study_id}/questions", auth=None, response=LedgerOut)
def study_questions(request: HttpRequest, study_id: PathId) -> dict[str, Any]:
    """Return every question asked of the study's people, as both parties' signed words have it."""
    study = public_study(study_id)
    ledger = ledger_view(study)
    return {
        "questions": [
            {
                **{name: getattr(question, name) for name in SHOWN},
                "kind": question.kind.value,
                "outcome": question.outcome.value,
                "statements": [
                    {
                        "role": statement.role.value,
                        "outcome": statement.outcome.value,
                        "body": statement.body,
                        "signature": statement.signature,
                    }
                    for statement in question.statements
                ],
            }
            for question in ledger.questions
        ],
        "spent_millibits": ledger.spent_millibits,
        "limit_millibits": ledger.limit_millibits,
        "models_asked": len(ledger.asked),
        "models_limit": ledger.most_models,
        "agreement": ledger.agreement,
        "takes_answers": study.state == StudyState.OPEN,
    }


@router.post("studies/{study_id}/invitations", response={202: BatchOut})
def study_invite(
    request: HttpRequest, study_id: PathId, payload: InvitationsIn
) -> Status[dict[str, Any]]:
    """Hand both parties their list of credentials (inviter only)."""
    spend_by_account(request, "UPLOADS")
    access = study_for(request.user, study_id)
    batch = invite(access.study, access.role, SignedInvitations(**payload.dict()))
    return Status(202, {"batch_id": batch.id, "count": batch.count})


@router.post("studies/{study_id}/closing", response={201: ProposalOut})
def study_close(request: HttpRequest, study_id: PathId) -> Status[dict[str, Any]]:
    """Propose to close the study; both parties must approve."""
    access = study_for(request.user, study_id)
    proposal = propose_closing(access.study, user_of(request))
    return Status(201, proposal_out(proposal, access.role))


@router.post("studies/{study_id}/certifications", response={201: ProposalOut})
def study_certify(
    request: HttpRequest, study_id: PathId, payload: CertificationIn
) -> Status[dict[str, Any]]:
    """Propose to certify a model; both parties must approve (modeler only)."""
    access = study_for(request.user, study_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    proposal = propose_certification(access.study, user_of(request), payload.model_id)
    return Status(201, proposal_out(proposal, access.role))


@router.post("studies/{study_id}/trainings", response={201: ProposalOut})
def study_train(
    request: HttpRequest, study_id: PathId, payload: TrainingIn
) -> Status[dict[str, Any]]:
    """Propose to train a model for each point; both parties must approve (modeler only)."""
    access = study_for(request.user, study_id)
    require_role(access.role, Role.MODELER, ONLY_MODELER)
    proposal = propose_training(access.study, user_of(request), payload.dict())
    return Status(201, proposal_out(proposal, access.role))


def study_out(study: Study, role: Role) -> dict[str, Any]:
    """Return a study as the API shows it."""
    return _shown(study, role, counts_of(study))


def _shown(study: Study, role: Role, counts: RecordCounts) -> dict[str, Any]:
    configuration = getattr(study, "configuration", None)
    return {
        "study_id": study.id,
        "title": study.title,
        "state": study.state,
        "role": role.value,
        "configuration_digest": configuration.digest if configuration else "",
        "record_set": study.record_set,
        "keys": sorted(key.role for key in study.keys.all()),
        "counts": {
            "invited": counts.invited,
            "submitted": counts.submitted,
            "readable": counts.readable,
            "refused": counts.refused,
            "records": study.n_records,
            "invalid": study.n_invalid,
            "disagreed": study.n_disagreed,
            "data_rows": counts.data_rows,
        },
    }
