"""Writes on studies: from the draft to the approved configuration, and to closing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Organisation, Role, User
from blindjustice_web.accounts.selectors import membership_of, organisations
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client, engine_texts
from blindjustice_web.engine.engine_post import Message, about_studies
from blindjustice_web.lib import push
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.problems import NotAllowed, Refused, Unusable
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import ask_to_resynchronise, send_to_both
from blindjustice_web.studies.approvals import approvals_of, open_proposal, require_open
from blindjustice_web.studies.models import (
    Configuration,
    Proposal,
    ProposalKind,
    ProposalState,
    Study,
    StudyKey,
    StudyState,
)
from blindjustice_web.studies.refusals import addressed_study, settle_refusals

DRAFT_BYTES = 200_000
SET_BY_SITE = ("study_id", "modeler", "regulator")
CLOSABLE = {StudyState.OPEN, StudyState.WAITING}
RENEWS_KEYS = {
    StudyState.KEYS_REQUESTED,
    StudyState.CLOSING,
    StudyState.WAITING,
    StudyState.CLOSED,
    StudyState.ENDED,
}
FIRST_KEY = 1
"""A party's key in the configuration; it makes another one where the study is closed or over."""
CLOSING_WAITS = "CLOSING_WAITS"
ENDS = frozenset({"CLOSING_DISAGREED", "CLOSING_UNFINISHED", "NO_VALID_RECORDS"})
"""What a party says of a closing that is over for good, without a list of records."""
BINDS = ENDS | {CLOSING_WAITS}
"""What a party says that takes no answers any more."""


@transaction.atomic
def create_study(user: User, draft: dict[str, Any]) -> Study:
    """Store a modeler's draft; Unusable names the first fault in it."""
    membership = membership_of(user)
    if membership is None or membership.role != Role.MODELER:
        raise NotAllowed("ONLY_MODELERS_DRAFT", _("Only a modeler can draft a study."))
    content = _checked_draft(draft)
    study = Study.objects.create(
        title=content["title"],
        purpose=content["purpose"],
        draft=content,
        modeler=membership.organisation,
        regulator=_regulator_named(draft),
        created_by=user,
    )
    record(EntryKind.STUDY_DRAFTED, study=study)
    return study


@transaction.atomic
def replace_draft(study: Study, draft: dict[str, Any]) -> Study:
    """Replace the draft of a study that nobody was asked to approve yet."""
    study = _locked(study)
    if study.state != StudyState.DRAFT:
        raise Refused("STUDY_NOT_A_DRAFT", _("Only a draft can be changed."))
    content = _checked_draft(draft)
    study.draft, study.title, study.purpose = content, content["title"], content["purpose"]
    study.save()
    record(EntryKind.STUDY_CHANGED, study=study)
    push.push_change(push.study_group(study.id), "study")
    return study


@transaction.atomic
def submit_study(study: Study) -> Study:
    """Ask both parties for a sealing key of this study; repeating it asks again."""
    study = _locked(study)
    if study.state not in {StudyState.DRAFT, StudyState.KEYS_REQUESTED}:
        raise Refused("STUDY_ALREADY_SUBMITTED", _("This study was submitted already."))
    for role in Role:
        engine_client.party(role)
    engine_texts.check_study_draft(study.draft)
    study.state = StudyState.KEYS_REQUESTED
    study.save(update_fields=["state"])
    settle_refusals(study.id, "key")
    record(EntryKind.STUDY_SUBMITTED, study=study)
    send_to_both(about_studies.MakeStudyKey(bytes.fromhex(study.id)))
    push.push_change(push.study_group(study.id), "study")
    return study


@hears(about_studies.StudyKey)
@transaction.atomic
def receive_key(message: Message[about_studies.StudyKey]) -> None:
    """Store a party's key for a study; with both, freeze the text and ask for approvals.

    At closing a party replaces its key: from then on models, data and challenges are sealed to the
    new one, whose signature under the configuration's signing key browsers check themselves.
    The party numbers its keys; no clock tells which one is newer.
    """
    study, number = _locked(addressed_study(message.content.study_id)), message.content.number
    role = message.role.value
    if number > FIRST_KEY:
        # The party closed this study, or ended it; the site of an open one does not know.
        if study.state == StudyState.OPEN:
            ask_to_resynchronise()
        note_bound(study)
    if study.state not in RENEWS_KEYS:
        return
    if study.keys.filter(role=role, number__gt=number).exists():
        return
    StudyKey.objects.update_or_create(
        study=study,
        role=role,
        defaults={
            "key_id": message.content.key_id.hex(),
            "hpke_key": message.content.hpke_key.hex(),
            "body": message.body,
            "signature": message.signature.hex(),
            "number": number,
        },
    )
    settle_refusals(study.id, "key", role=Role(role))
    record(EntryKind.KEY_ANNOUNCED, study=study, subject=message.content.key_id.hex())
    keys = {Role(key.role): key for key in study.keys.all()}
    if study.state == StudyState.KEYS_REQUESTED and len(keys) == len(Role):
        _freeze(study, keys)
    push.push_change(push.study_group(study.id), "study")


@transaction.atomic
def seal_configuration(proposal: Proposal) -> None:
    """Make an approved configuration immutable and hand it to both parties."""
    study = _locked(proposal.study)
    configuration = Configuration.objects.get(study=study)
    configuration.approved_at = timezone.now()
    configuration.attempt_id = fresh_id()
    configuration.save()
    settle_refusals(study.id, "configuration")
    send_to_both(
        about_studies.AcceptConfiguration(
            study_id=bytes.fromhex(study.id),
            attempt_id=bytes.fromhex(configuration.attempt_id),
            text=proposal.text,
            approvals=approvals_of(proposal),
        )
    )


@hears(about_studies.ConfigurationAccepted)
@transaction.atomic
def note_configuration_accepted(message: Message[about_studies.ConfigurationAccepted]) -> None:
    """Open the study once both parties took over the approved configuration."""
    study = addressed_study(message.content.study_id)
    configuration = Configuration.objects.filter(
        study=study,
        digest=message.content.configuration.hex(),
        attempt_id=message.content.attempt_id.hex(),
        approved_at__isnull=False,
    ).first()
    if configuration is None:
        return
    setattr(configuration, f"{message.role.value}_accepted", True)
    configuration.save()
    both = configuration.modeler_accepted and configuration.regulator_accepted
    if both and study.state == StudyState.AWAITING_APPROVAL:
        study.state = StudyState.OPEN
        study.opened_at = timezone.now()
        study.save(update_fields=["state", "opened_at"])
        record(EntryKind.STUDY_OPENED, study=study, subject=configuration.digest)
    push.push_change(push.study_group(study.id), "study")


@transaction.atomic
def decline_proposal(proposal_id: str, reason: str) -> Proposal:
    """Turn a proposal down; a declined configuration becomes a draft again."""
    proposal = Proposal.objects.select_for_update().select_related("study").get(pk=proposal_id)
    require_open(proposal)
    proposal.state = ProposalState.DECLINED
    proposal.decline_reason = reason
    proposal.save(update_fields=["state", "decline_reason"])
    record(
        EntryKind.DECLINED,
        study=proposal.study,
        subject=proposal.id,
        detail=f"{proposal.kind}: {reason}",
    )
    if proposal.kind == ProposalKind.CONFIGURATION:
        study = _locked(proposal.study)
        Configuration.objects.get(study=study).delete()
        study.keys.all().delete()
        settle_refusals(study.id, "configuration")
        study.state = StudyState.DRAFT
        study.save(update_fields=["state"])
    push.push_change(push.study_group(proposal.study_id), "proposal")
    return proposal


@transaction.atomic
def propose_closing(study: Study, user: User) -> Proposal:
    """Ask both parties to close the study; an open proposal of this kind is returned as it is."""
    study = _locked(study)
    if study.state not in CLOSABLE:
        raise Refused("STUDY_NOT_OPEN", _("Only a study that is open for answers can be closed."))
    existing = study.proposals.filter(kind=ProposalKind.CLOSING, state=ProposalState.OPEN).first()
    if existing is not None:
        return existing
    spec = engine_client.closing_spec(fresh_id(), approved_configuration(study), timezone.now())
    return open_proposal(study, ProposalKind.CLOSING, spec, engine_client.text_digest(spec), user)


@transaction.atomic
def begin_closing(study: Study) -> Study:
    """Take no more answers while the parties agree on the list of records."""
    study = _locked(study)
    if study.state not in CLOSABLE:
        raise Refused("STUDY_NOT_OPEN", _("Only a study that is open for answers can be closed."))
    study.state = StudyState.CLOSING
    study.save(update_fields=["state"])
    record(EntryKind.STUDY_CLOSING, study=study)
    push.push_change(push.study_group(study.id), "study")
    return study


@transaction.atomic
def finish_closing(
    study: Study,
    outcome: dict[str, Any] | None,
    codes_of: Callable[[], Mapping[Role, Collection[str]]],
) -> None:
    """Store the agreed list of records, or let what parties said of it follow.

    ``codes_of`` returns those of each party's attempts at closing this study; it is asked once the
    study is locked, so that no later word is missed. Where both say that the
    closing is over without a list it has ended; once one is bound to a run, or alone says so, the
    study waits until a closing is done, and another one lets the other party know; otherwise it
    takes answers again.
    """
    study = _locked(study)
    if study.state != StudyState.CLOSING:
        return
    kind, codes = EntryKind.STUDY_CLOSED, codes_of()
    if outcome is None and all(not ENDS.isdisjoint(said) for said in codes.values()):
        study.state, kind = StudyState.ENDED, EntryKind.STUDY_ENDED
    elif outcome is None and (
        study.waits or any(not BINDS.isdisjoint(said) for said in codes.values())
    ):
        let_wait(study)
        return
    elif outcome is None:
        study.state, kind = StudyState.OPEN, EntryKind.STUDY_REOPENED
    else:
        study.state = StudyState.CLOSED
        study.closed_at = timezone.now()
        study.record_set = outcome["record_set"]
        study.n_records = outcome["n_records"]
        study.n_invalid = outcome["n_invalid"]
        study.n_disagreed = outcome["n_disagreed"]
    study.save()
    record(kind, study=study, subject=study.record_set)
    push.push_change(push.study_group(study.id), "study")


@transaction.atomic
def wait_for_closing(study: Study, code: str) -> None:
    """Take no answers in an open study of which a party says late that a closing binds it."""
    study = _locked(study)
    if study.state != StudyState.OPEN or code not in BINDS:
        return
    let_wait(study)


def note_bound(study: Study) -> None:
    """Note that a closing binds a party: the study takes no answers before one is done.

    ``study`` is locked. One that the site is closing goes on, and waits if that closing fails: the
    party may have come to its end in another one, which a restored site has forgotten.
    """
    if study.state == StudyState.OPEN:
        let_wait(study)
    elif study.state in {StudyState.CLOSING, StudyState.WAITING}:
        study.waits = True
        study.save(update_fields=["waits"])


def let_wait(study: Study) -> None:
    """Take no answers until a closing is done: a party says, or its key, that one binds it."""
    study.state, study.waits = StudyState.WAITING, True
    study.save()
    record(EntryKind.STUDY_WAITS, study=study)
    push.push_change(push.study_group(study.id), "study")


def approved_configuration(study: Study) -> engine_client.Configuration:
    """Return the approved configuration of a study; Refused before both parties approved it."""
    stored = Configuration.objects.filter(study=study, approved_at__isnull=False).first()
    if stored is None:
        raise Refused("STUDY_NOT_APPROVED", _("Both parties must approve the configuration first."))
    return engine_client.read_configuration(stored.text)


def configuration_of(study: Study) -> engine_client.Configuration:
    """Return a study's frozen configuration, or what its draft would become."""
    stored = getattr(study, "configuration", None)
    if stored is not None:
        return engine_client.read_configuration(stored.text)
    return engine_client.preview_draft(
        study.draft, study.id, study.modeler.name, study.regulator.name
    )


def _freeze(study: Study, keys: dict[Role, StudyKey]) -> None:
    names = {Role.MODELER: study.modeler.name, Role.REGULATOR: study.regulator.name}
    parties = {
        role: engine_client.study_party(role, names[role], key.key_id, key.hpke_key)
        for role, key in keys.items()
    }
    configuration = engine_client.freeze_draft(study.draft, study.id, parties)
    digest = configuration.digest.hex()
    Configuration.objects.create(study=study, text=configuration.text, digest=digest)
    study.state = StudyState.AWAITING_APPROVAL
    study.save(update_fields=["state"])
    open_proposal(study, ProposalKind.CONFIGURATION, configuration.text, digest, study.created_by)


def _checked_draft(draft: dict[str, Any]) -> dict[str, Any]:
    content = {name: value for name, value in draft.items() if name not in SET_BY_SITE}
    engine_texts.check_study_draft(content)
    if len(engine_client.canonical(content)) > DRAFT_BYTES:
        raise Unusable("DRAFT_TOO_LONG", _("This draft is too long."))
    return content


def _regulator_named(draft: dict[str, Any]) -> Organisation:
    """Return the regulator a draft names, or the only one there is."""
    named = draft.get("regulator")
    candidates = organisations(Role.REGULATOR)
    if isinstance(named, dict) and isinstance(named.get("name"), str):
        candidates = candidates.filter(name=named["name"])
    found = list(candidates[:2])
    if len(found) != 1:
        raise Unusable(
            "REGULATOR_UNKNOWN",
            _("The draft must name one of the regulators of this site."),
            next_step=_(
                "Put the regulator's name into “regulator”: {“name”: …} and send it again."
            ),
        )
    return found[0]


def _locked(study: Study) -> Study:
    return (
        Study.objects.select_for_update(of=("self",))
        .select_related("modeler", "regulator")
        .get(pk=study.pk)
    )
