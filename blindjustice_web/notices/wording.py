"""The words of a notice: plain text, a link without a token, nothing about anybody."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import AuditEntry, EntryKind


@dataclass(frozen=True)
class Mail:
    """What is sent."""

    subject: str
    text: str


def mail_about(entry: AuditEntry, role: Role | None) -> Mail:
    """Return the mail about an entry for a member of one side, or for a person."""
    sentence = _sentence(entry, role)
    link = settings.ORIGIN + _path(entry, role)
    why = _(
        "You get this because you have an account on this site. To get no more of these, log in "
        "and switch them off on your page: %(address)s"
    ) % {"address": settings.ORIGIN + reverse("my_page")}
    return Mail(f"Blind Justice: {sentence}", f"{sentence}\n\n{link}\n\n--\n{why}\n")


def _sentence(entry: AuditEntry, role: Role | None) -> str:
    if entry.kind == EntryKind.JOB_ENDED:
        return _ended(entry.detail)
    sentences = {
        EntryKind.PROPOSED: _("Something waits for your organisation's approval"),
        EntryKind.CERTIFICATE_ISSUED: _("A certificate was issued"),
        EntryKind.CERTIFICATE_REVOKED: _("A certificate was revoked"),
        EntryKind.CHALLENGE_OPENED: _("A decision was challenged"),
        EntryKind.CHALLENGE_ANSWERED: _("A challenge was answered"),
        EntryKind.CHALLENGE_EXPIRED: _("A challenge was not answered in time"),
        EntryKind.CHALLENGE_REFUSED: _("A challenge could not be read"),
    }
    own = {
        EntryKind.CHALLENGE_ANSWERED: _("Your challenge was answered"),
        EntryKind.CHALLENGE_EXPIRED: _("Your challenge was not answered in time"),
        EntryKind.CHALLENGE_REFUSED: _("Your challenge could not be read"),
    }
    kind = EntryKind(entry.kind)
    return own[kind] if role is None else sentences[kind]


def _ended(detail: str) -> str:
    if detail.startswith("training"):
        done, failed = _("A training has finished"), _("A training has failed")
    else:
        done, failed = _("A run has finished"), _("A run has failed")
    if "CANCELLED" in detail:
        return _("A run was stopped")
    return failed if "FAILED" in detail else done


def _path(entry: AuditEntry, role: Role | None) -> str:
    if role is None:
        return reverse("challenge_detail", args=(entry.subject,))
    if entry.kind.startswith("CHALLENGE_"):
        return reverse("regulator_challenges")
    return reverse(f"{role.value}_study", args=(entry.study_id,))
