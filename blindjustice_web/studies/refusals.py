"""What parties refused about a study: kept as they said it, shown until it is put right.

A refusal stands until the same thing is accepted, or asked for again. Each leaves a way on: a
refused configuration waits for both signatures again, a refused list of invitations is kept and
can be sent again, everything else is asked for anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine.engine_post import (
    Content,
    Message,
    Refusal,
    about_people,
    about_studies,
)
from blindjustice_web.lib import push
from blindjustice_web.lib.problems import NotThere, Refused
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import forget_orders, send_kept_orders
from blindjustice_web.studies.models import (
    Configuration,
    PartyRefusal,
    Proposal,
    ProposalKind,
    ProposalState,
    Study,
    StudyState,
)

OTHER_KEY = "signature"
INVITATIONS = "invitations"
"""What is sent again as it was: nobody but the site has it any more."""


@dataclass(frozen=True)
class StandingRefusal:
    """A refusal that nothing has put right yet, with what was kept and what to do."""

    id: int
    title: str
    code: str
    sentence: str
    kept: str
    next: str
    at: datetime
    proposal_id: str
    can_send_again: bool


@transaction.atomic
def note_refusal(
    message: Message[Refusal], study_id: bytes, about: str, object_id: str = ""
) -> None:
    """Store that a party refused something about a study, for its people to read."""
    study = addressed_study(study_id)
    role = Role(message.role.value)
    settle_refusals(study.id, about, role=role, object_id=object_id)
    code = message.content.code[:60]
    PartyRefusal.objects.create(
        study=study,
        role=role,
        about=about,
        object_id=object_id,
        code=code,
        sentence=message.content.sentence,
    )
    record(EntryKind.PARTY_REFUSED, study=study, subject=object_id, detail=f"{about}: {code}")
    push.push_change(push.study_group(study.id), "refusal")


@hears(about_studies.StudyKeyRefused)
def note_key_refused(message: Message[about_studies.StudyKeyRefused]) -> None:
    """Store why a party made no key for a study."""
    note_refusal(message, message.content.study_id, "key")


@hears(about_people.InvitationsRefused)
def note_invitations_refused(message: Message[about_people.InvitationsRefused]) -> None:
    """Store why a party did not take a list of invitations over."""
    note_refusal(message, message.content.study_id, INVITATIONS)


@hears(about_studies.ConfigurationRefused)
@transaction.atomic
def note_configuration_refused(message: Message[about_studies.ConfigurationRefused]) -> None:
    """Store why a party did not take a configuration over, and let both sign it again.

    Its signatures are dropped, as the reason may be one of them: an approver's key that was
    replaced since. Both can also decline it now and propose another one. A second refusal of the
    same orders is shown as well, and drops nothing; one of earlier orders is passed over.
    """
    study = addressed_study(message.content.study_id)
    configuration = Configuration.objects.filter(
        study=study, attempt_id=message.content.attempt_id.hex()
    ).first()
    if configuration is None:
        return
    proposals = study.proposals.select_for_update().filter(kind=ProposalKind.CONFIGURATION)
    proposal = proposals.exclude(state=ProposalState.DECLINED).first()
    awaited = study.state == StudyState.AWAITING_APPROVAL and configuration.approved_at is not None
    if proposal is not None and awaited:
        _reopen(study, configuration, proposal)
    note_refusal(
        message, message.content.study_id, "configuration", proposal.id if proposal else ""
    )


@transaction.atomic
def note_other_key(message: Message[Content], study_id: str) -> None:
    """Store once that a party's words on a study don't count, for they are signed by another key.

    The parties' orders wait meanwhile and look like orders that are on their way.
    """
    role = Role(message.role.value)
    about = {"study_id": study_id, "role": role, "about": OTHER_KEY}
    if PartyRefusal.objects.filter(**about, stands=True).exists():
        return
    sentence = _("What this party signs is passed over here, as it is by people and by the other.")
    PartyRefusal.objects.create(**about, code="SIGNING_KEY_OTHER", sentence=sentence)
    push.push_change(push.study_group(study_id), "refusal")


def settle_other_key(message: Message[Content], study_id: str) -> None:
    """Note that a party signs with the key that a study names, where it did not before."""
    role = Role(message.role.value)
    if PartyRefusal.objects.filter(
        study=study_id, role=role, about=OTHER_KEY, stands=True
    ).exists():
        settle_refusals(study_id, OTHER_KEY, role=role)
        push.push_change(push.study_group(study_id), "refusal")


def settle_refusals(
    study_id: str, about: str, *, role: Role | None = None, object_id: str | None = None
) -> None:
    """Note that what was refused of this kind stands no more, of one party or object if named."""
    named = {"role": role, "object_id": object_id}
    chosen = {name: value for name, value in named.items() if value is not None}
    PartyRefusal.objects.filter(study=study_id, about=about, stands=True, **chosen).update(
        stands=False
    )


@transaction.atomic
def send_again(study: Study) -> int:
    """Send each party once more the lists of invitations it refused; return how many."""
    n_sent = send_kept_orders(about_people.AddInvitations, study.id)
    if not n_sent:
        raise Refused(
            "NOTHING_TO_SEND_AGAIN",
            _("No list that a party refused waits to be sent again."),
            next_step=_("Reload the page to see where it stands."),
        )
    settle_refusals(study.id, INVITATIONS)
    record(EntryKind.PEOPLE_INVITED, study=study, detail=f"sent again: {n_sent}")
    push.push_change(push.study_group(study.id), "refusal")
    return n_sent


def standing_refusals(study: Study) -> list[StandingRefusal]:
    """Return what parties refused and nothing has put right; a refused model says so itself."""
    found = study.refusals.filter(stands=True).exclude(about="model").order_by("-at", "-pk")
    return [
        StandingRefusal(
            id=refusal.pk,
            title=f"{Role(refusal.role).label}: {_words(refusal.about)[0]}",
            code=refusal.code,
            sentence=refusal.sentence,
            kept=_words(refusal.about)[1],
            next=_words(refusal.about)[2],
            at=refusal.at,
            proposal_id=refusal.object_id if refusal.about == "configuration" else "",
            can_send_again=refusal.about == INVITATIONS,
        )
        for refusal in found[:20]
    ]


def addressed_study(study_id: bytes) -> Study:
    """Return the study a message speaks of, locked; else NotThere."""
    study = Study.objects.select_for_update().filter(pk=study_id.hex()).first()
    if study is None:
        raise NotThere
    return study


def _reopen(study: Study, configuration: Configuration, proposal: Proposal) -> None:
    configuration.reopen()
    forget_orders(about_studies.AcceptConfiguration, study.id)
    proposal.approvals.all().delete()
    proposal.state = ProposalState.OPEN
    proposal.save(update_fields=["state"])
    push.push_change(push.study_group(study.id), "proposal")


def _words(about: str) -> tuple[str, str, str]:
    """Return what was refused, what was kept, and what to do next."""
    words = {
        "key": (
            _("the party refused to make a key for this study"),
            _("The draft is kept as it is."),
            _("Submit it for approval again when the reason is gone."),
        ),
        "configuration": (
            _("the party refused the configuration that both sides signed"),
            _("The text is kept, and nothing was opened with it."),
            _(
                "When the reason is gone, both sides sign it again; or decline it, and submit the "
                "draft anew."
            ),
        ),
        "invitations": (
            _("the party refused a list of invitations"),
            _("The list is kept, and so are answers that come in under it."),
            _("Send the list again when the reason is gone."),
        ),
        "data": (
            _("the party refused the data file"),
            _("Nothing of the file was taken; what the party held before it still holds."),
            _("Put right what the sentence names, and upload the file again."),
        ),
        "deployment": (
            _("the party refused to put a model in use"),
            _("The model that was in use still is."),
            _("Put the model in use again when the reason is gone: that is signed anew."),
        ),
        "revocation": (
            _("the party refused a revocation"),
            _("Here the certificate counts as revoked."),
            _("It is sent to the party again every hour. Have its operator put the reason right."),
        ),
        OTHER_KEY: (
            _("the party signs with another key than this study names"),
            _("What it did is kept at the party, and it is asked again by and by."),
            _("Have its operator put the earlier signing.key back; nothing need be done here."),
        ),
    }
    return words[about]
