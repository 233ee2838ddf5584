"""A study, the parties' keys for it, its frozen configuration, and proposals to approve."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Organisation, Role
from blindjustice_web.lib.append_only import ImmutableError
from blindjustice_web.lib.ids import fresh_id


class StudyState(models.TextChoices):
    """Where a study stands."""

    DRAFT = "DRAFT", _("Draft")
    KEYS_REQUESTED = "KEYS_REQUESTED", _("Waiting for the parties' keys")
    AWAITING_APPROVAL = "AWAITING_APPROVAL", _("Waiting for approvals")
    OPEN = "OPEN", _("Open for answers")
    CLOSING = "CLOSING", _("Closing")
    WAITING = "WAITING", _("Closing waits")
    CLOSED = "CLOSED", _("Closed for answers")
    ENDED = "ENDED", _("Ended without a list")


class Study(models.Model):
    """One question asked of a cohort, by one modeler under one regulator.

    ``waits``: a party said that a closing binds it, so that no answers are taken until one is done.
    """

    id = models.CharField(primary_key=True, max_length=32, default=fresh_id, editable=False)
    title = models.CharField(max_length=200)
    purpose = models.TextField(blank=True)
    state = models.CharField(
        max_length=20, choices=StudyState.choices, default=StudyState.DRAFT, db_index=True
    )
    draft = models.JSONField(default=dict)
    modeler = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    regulator = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    record_set = models.CharField(max_length=64, blank=True)
    n_records = models.PositiveIntegerField(default=0)
    n_invalid = models.PositiveIntegerField(default=0)
    n_disagreed = models.PositiveIntegerField(default=0)
    waits = models.BooleanField(default=False)

    class Meta:
        # With these a list that joins studies never reads their drafts, which are long.
        indexes = (
            models.Index(fields=("modeler", "-created_at", "id"), name="studies_of_modeler"),
            models.Index(fields=("regulator", "-created_at", "id"), name="studies_of_regulator"),
        )

    def __str__(self) -> str:
        return self.title


class StudyKey(models.Model):
    """The public sealing key a party made for one study, and its signed word about it.

    The configuration binds the first one, for people's answers; after closing a party announces
    another one and destroys the first.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="keys")
    role = models.CharField(max_length=10, choices=Role.choices)
    key_id = models.CharField(max_length=32)
    hpke_key = models.TextField()
    body = models.TextField()
    signature = models.CharField(max_length=128)
    number = models.PositiveIntegerField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("study", "role"), name="one_key_per_party_and_study"),
        )


class PublishedPolicy(models.Model):
    """A policy that a regulator published for modelers to start studies from.

    Its terms never change once they are stored; a withdrawn one stays readable. It keeps who
    published it and who withdrew it.
    """

    id = models.CharField(primary_key=True, max_length=32, default=fresh_id, editable=False)
    title = models.CharField(max_length=200)
    regulator = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="+")
    terms = models.TextField()
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    published_at = models.DateTimeField(auto_now_add=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.title

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> PublishedPolicy:
        """Load a policy and remember what is stored."""
        loaded = super().from_db(*args, **kwargs)
        loaded._stored = (loaded.title, loaded.regulator_id, loaded.terms)
        return loaded

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it; refuse to change what was published."""
        now = (self.title, self.regulator_id, self.terms)
        if getattr(self, "_stored", now) != now:
            raise ImmutableError("a published policy can't be changed")
        super().save(*args, **kwargs)
        self._stored = now


class Configuration(models.Model):
    """The canonical text both parties approve; once both did, nothing of it can be saved again.

    ``attempt_id`` names the last orders to take it over: what answers earlier ones counts no more.
    """

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="configuration")
    text = models.TextField()
    digest = models.CharField(max_length=64, db_index=True)
    approved_at = models.DateTimeField(null=True)
    attempt_id = models.CharField(max_length=32, blank=True)
    modeler_accepted = models.BooleanField(default=False)
    regulator_accepted = models.BooleanField(default=False)

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Configuration:
        """Load a configuration and remember what is stored."""
        loaded = super().from_db(*args, **kwargs)
        loaded._stored = (loaded.text, loaded.digest, loaded.approved_at)
        return loaded

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it; refuse to change text, digest or approval of an approved one."""
        stored = getattr(self, "_stored", None)
        now = (self.text, self.digest, self.approved_at)
        if stored and stored[2] is not None and now != stored:
            raise ImmutableError("an approved configuration can't be changed")
        super().save(*args, **kwargs)
        self._stored = now

    def reopen(self) -> None:
        """Take the approval back because a party refused the text; no study opened with it.

        ImmutableError once both parties took it over.
        """
        if self.modeler_accepted and self.regulator_accepted:
            raise ImmutableError("a configuration both parties took over can't be reopened")
        nobody = {"approved_at": None, "modeler_accepted": False, "regulator_accepted": False}
        type(self).objects.filter(pk=self.pk).update(**nobody)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete a configuration nobody is bound by yet."""
        if self.approved_at is not None:
            raise ImmutableError("an approved configuration can't be deleted")
        return super().delete(*args, **kwargs)


class ProposalKind(models.TextChoices):
    """What both parties can be asked to approve."""

    CONFIGURATION = "configuration", _("Configuration of the study")
    CLOSING = "closing", _("Closing the study for answers")
    CERTIFICATION = "certification", _("Certification of a model")
    TRAINING = "training", _("Training of a model")


class ProposalState(models.TextChoices):
    """Where a proposal stands."""

    OPEN = "OPEN", _("Waiting for approvals")
    APPROVED = "APPROVED", _("Approved by both")
    DECLINED = "DECLINED", _("Declined")
    SUPERSEDED = "SUPERSEDED", _("Overtaken by another")


class Proposal(models.Model):
    """A text that takes effect when an approver of each party has signed it."""

    id = models.CharField(primary_key=True, max_length=32, default=fresh_id, editable=False)
    kind = models.CharField(max_length=20, choices=ProposalKind.choices)
    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="proposals")
    text = models.TextField()
    digest = models.CharField(max_length=64)
    state = models.CharField(
        max_length=12, choices=ProposalState.choices, default=ProposalState.OPEN, db_index=True
    )
    model_id = models.CharField(max_length=32, blank=True)
    decline_reason = models.TextField(blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("study", "kind", "model_id"),
                condition=models.Q(state="OPEN"),
                name="one_open_proposal_per_question",
            ),
        )
        indexes = (
            models.Index(
                fields=("study", "state", "created_at", "id"), name="proposals_by_where_they_stand"
            ),
        )


class Approval(models.Model):
    """The signature of one party's approver under a proposal."""

    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="approvals")
    role = models.CharField(max_length=10, choices=Role.choices)
    key_id = models.CharField(max_length=32)
    signature = models.CharField(max_length=100)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("proposal", "role"), name="one_approval_per_party_and_proposal"
            ),
        )


class PartyRefusal(models.Model):
    """A party's signed word that it won't accept something about a study (not a submission).

    ``stands`` until the same is accepted, or asked for again.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="refusals")
    role = models.CharField(max_length=10, choices=Role.choices)
    about = models.CharField(max_length=20)
    object_id = models.CharField(max_length=32, blank=True)
    code = models.CharField(max_length=60)
    sentence = models.TextField()
    stands = models.BooleanField(default=True)
    at = models.DateTimeField(auto_now_add=True)


class QuestionStatement(models.Model):
    """A party's signed word about one question that was asked of a study's people.

    The latest word of each party about each number is kept; ``is_contradicted`` where the party
    signed two different entries under one number, of which the first is kept.
    """

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="question_statements")
    role = models.CharField(max_length=10, choices=Role.choices)
    number = models.PositiveIntegerField()
    entry = models.TextField()
    asked_at = models.DateTimeField()
    outcome = models.CharField(max_length=20)
    spent_millibits = models.BigIntegerField()
    limit_millibits = models.BigIntegerField()
    is_contradicted = models.BooleanField(default=False)
    body = models.TextField()
    signature = models.CharField(max_length=128)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("study", "role", "number"), name="one_word_per_party_and_question"
            ),
        )


class HeldStudy(models.Model):
    """What a party said last, when asked, of a study it holds: its signed ``study_held`` message.

    The site may not know the study: it is brought back once both parties say the same of it.
    """

    study_id = models.CharField(max_length=32)
    role = models.CharField(max_length=10, choices=Role.choices)
    body = models.TextField()
    signature = models.CharField(max_length=128)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("study_id", "role"), name="one_word_per_party_and_held_study"
            ),
        )
