"""What was done, and the chain of digests over it."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Organisation
from blindjustice_web.lib.append_only import AppendOnly


class ActorKind(models.TextChoices):
    """Who can do something."""

    MODELER = "modeler", _("Member of a modeler")
    REGULATOR = "regulator", _("Member of a regulator")
    MODELER_PARTY = "modeler_party", _("Party of the modeler")
    REGULATOR_PARTY = "regulator_party", _("Party of the regulator")
    PERSON = "person", _("A person")
    VISITOR = "visitor", _("Somebody who is not logged in")
    SITE = "site", _("This site, by itself")


class EntryKind(models.TextChoices):
    """What can be done that somebody may ask about later."""

    LOGGED_IN = "LOGGED_IN", _("Logged in")
    LOG_IN_FAILED = "LOG_IN_FAILED", _("Log-in failed")
    LOG_IN_LOCKED = "LOG_IN_LOCKED", _("Log-ins locked after too many failures")
    STUDY_DRAFTED = "STUDY_DRAFTED", _("Study drafted")
    STUDY_CHANGED = "STUDY_CHANGED", _("Draft of a study changed")
    STUDY_SUBMITTED = "STUDY_SUBMITTED", _("Study submitted to both parties")
    STUDY_OPENED = "STUDY_OPENED", _("Study opened for answers")
    STUDY_CLOSING = "STUDY_CLOSING", _("Closing of a study begun")
    STUDY_CLOSED = "STUDY_CLOSED", _("Study closed")
    STUDY_BROUGHT_BACK = "STUDY_BROUGHT_BACK", _("Study brought back from both parties' copies")
    STUDY_REOPENED = "STUDY_REOPENED", _("Closing failed: study takes answers again")
    STUDY_WAITS = "STUDY_WAITS", _("Closing waits for what a party opens")
    STUDY_ENDED = "STUDY_ENDED", _("Closing is over, without a list of records")
    POLICY_PUBLISHED = "POLICY_PUBLISHED", _("Policy published")
    POLICY_WITHDRAWN = "POLICY_WITHDRAWN", _("Policy withdrawn")
    PROPOSED = "PROPOSED", _("Put before both parties")
    APPROVED = "APPROVED", _("Approved")
    DECLINED = "DECLINED", _("Declined")
    KEY_ANNOUNCED = "KEY_ANNOUNCED", _("Key for a study announced")
    PARTY_KEYS_CHANGED = "PARTY_KEYS_CHANGED", _("Published keys of a party changed")
    PARTY_REFUSED = "PARTY_REFUSED", _("Refused by a party")
    LINE_CHECK_ASKED = "LINE_CHECK_ASKED", _("Check of the line between the parties asked for")
    PEOPLE_INVITED = "PEOPLE_INVITED", _("People invited")
    DATA_SENT = "DATA_SENT", _("Sealed data file sent to a party")
    DATA_ACCEPTED = "DATA_ACCEPTED", _("Data file accepted")
    MODEL_HANDED_IN = "MODEL_HANDED_IN", _("Model handed in")
    MODEL_TAKEN_OVER = "MODEL_TAKEN_OVER", _("Trained model taken over from another study")
    MODEL_TRAINED = "MODEL_TRAINED", _("Model trained")
    DEPLOYMENT_SIGNED = "DEPLOYMENT_SIGNED", _("Order signed to put a model into use")
    MODEL_DEPLOYED = "MODEL_DEPLOYED", _("Model put into use")
    JOB_QUEUED = "JOB_QUEUED", _("Run put into line")
    JOB_STARTED = "JOB_STARTED", _("Run started")
    JOB_STOP_ASKED = "JOB_STOP_ASKED", _("Asked to stop a run")
    JOB_RESUMED = "JOB_RESUMED", _("Asked to go on with a run")
    JOB_ENDED = "JOB_ENDED", _("Run ended")
    CERTIFICATE_ISSUED = "CERTIFICATE_ISSUED", _("Certificate issued")
    CERTIFICATE_BROUGHT_BACK = (
        "CERTIFICATE_BROUGHT_BACK",
        _("Certificate brought back from a party's copy"),
    )
    CERTIFICATE_REVOKED = "CERTIFICATE_REVOKED", _("Certificate revoked")
    REVOCATION_ACKNOWLEDGED = (
        "REVOCATION_ACKNOWLEDGED",
        _("Revocation acknowledged by a party"),
    )
    CHALLENGE_OPENED = "CHALLENGE_OPENED", _("Challenge opened")
    CHALLENGE_REFUSED = "CHALLENGE_REFUSED", _("Challenge not readable")
    CHALLENGE_ANSWERED = "CHALLENGE_ANSWERED", _("Challenge answered")
    CHALLENGE_EXPIRED = "CHALLENGE_EXPIRED", _("Challenge not answered in time")
    LAB_REPORT_PUBLISHED = "LAB_REPORT_PUBLISHED", _("Report of the lab published")
    LAB_REPORT_WITHDRAWN = "LAB_REPORT_WITHDRAWN", _("Report of the lab withdrawn")
    LOG_EXPORTED = "LOG_EXPORTED", _("Audit log exported")


CASES = frozenset(
    {
        EntryKind.CHALLENGE_OPENED,
        EntryKind.CHALLENGE_REFUSED,
        EntryKind.CHALLENGE_ANSWERED,
        EntryKind.CHALLENGE_EXPIRED,
    }
)
"""About one person's case: for the regulator only, like the case itself."""
FOR_ALL = frozenset(
    {
        EntryKind.PARTY_KEYS_CHANGED,
        EntryKind.LAB_REPORT_PUBLISHED,
        EntryKind.LAB_REPORT_WITHDRAWN,
    }
)
"""About no study: for every member of every organisation."""


class AuditEntry(AppendOnly):
    """One thing that was done: ``kind`` is an EntryKind, ``actor`` an ActorKind.

    ``organisation`` and ``member`` (an account's number, never a name) did it, where a member of an
    organisation did; nothing tells which person did. ``modeler`` and ``regulator`` may read it;
    ``for_all``: so may every member of every organisation.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    kind = models.CharField(max_length=24)
    actor = models.CharField(max_length=16)
    organisation = models.ForeignKey(
        Organisation, null=True, on_delete=models.PROTECT, related_name="+"
    )
    member = models.PositiveBigIntegerField(null=True)
    study_id = models.CharField(max_length=32, blank=True, db_index=True)
    subject = models.CharField(max_length=64, blank=True)
    detail = models.CharField(max_length=1000, blank=True)
    modeler = models.ForeignKey(
        Organisation, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    regulator = models.ForeignKey(
        Organisation, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    for_all = models.BooleanField(default=False)

    class Meta:
        indexes = (
            models.Index(fields=("modeler", "-id"), name="entries_of_modeler"),
            models.Index(fields=("regulator", "-id"), name="entries_of_regulator"),
            models.Index(fields=("kind", "actor", "-id"), name="entries_of_kind"),
        )


class AuditLink(AppendOnly):
    """An entry's place in the chain: the digest of the entry and of everything before it.

    Entries are linked after they are written, in the order of their links: while a transaction
    runs nobody knows whether an earlier one will still come.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    entry = models.OneToOneField(AuditEntry, on_delete=models.PROTECT, related_name="link")
    digest = models.CharField(max_length=64)
