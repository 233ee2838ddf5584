"""Orders and messages about studies: their keys, their configuration, their ledger."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from mpc_engine.control.policies.questions import MAX_ENTRY_BYTES, parse_question
from mpc_engine.control.post.declarations import Content, Order, Refusal, Subject
from mpc_engine.control.post.exchanges.cohorts import Cohort
from mpc_engine.control.post.shapes import (
    Approvals,
    Digest,
    Id,
    Moment,
    Natural,
    SealingKey,
    Shape,
    object_or_nothing,
    one_of,
    text_up_to,
)
from mpc_engine.control.studies.configuration import MAX_CONFIGURATION_BYTES
from mpc_engine.control.texts.fields import Fields
from mpc_engine.vocabulary.runs import QuestionOutcome

ConfigurationText = Annotated[str, text_up_to(MAX_CONFIGURATION_BYTES)]


def _read_entry(fields: Fields, name: str) -> str:
    text = fields.raw_text(name, maximum=MAX_ENTRY_BYTES)
    parse_question(text)
    return text


@dataclass(frozen=True, kw_only=True)
class StudyKey(Content, kind="study_key"):
    """A party's HPKE key for a study; it numbers them, the first is 1."""

    study_id: Id
    number: Natural
    hpke_key: SealingKey
    key_id: Id


@dataclass(frozen=True, kw_only=True)
class StudyKeyRefused(Refusal, kind="study_key_refused"):
    """No key was made."""

    study_id: Id


@dataclass(frozen=True)
class MakeStudyKey(
    Order,
    kind="make_study_key",
    subject=Subject("make_study_key", ("study_id",)),
    answered_by=(StudyKey,),
    refused_by=StudyKeyRefused,
):
    """Make the HPKE key of a study that is being proposed."""

    study_id: Id


@dataclass(frozen=True, kw_only=True)
class ConfigurationAccepted(Content, kind="configuration_accepted"):
    """A configuration was taken over; ``configuration`` is its digest."""

    study_id: Id
    attempt_id: Id
    configuration: Digest


@dataclass(frozen=True, kw_only=True)
class ConfigurationRefused(Refusal, kind="configuration_refused"):
    """A configuration was not taken over."""

    study_id: Id
    attempt_id: Id


@dataclass(frozen=True)
class AcceptConfiguration(
    Order,
    kind="accept_configuration",
    subject=Subject("accept_configuration", ("study_id", "attempt_id")),
    answered_by=(ConfigurationAccepted,),
    refused_by=ConfigurationRefused,
):
    """Take over a configuration both parties' approvers signed; the answer names the attempt."""

    study_id: Id
    attempt_id: Id
    text: ConfigurationText
    approvals: Approvals


@dataclass(frozen=True, kw_only=True)
class Question(Content, kind="question"):
    """An entry of a study's ledger as it stands, and the bits that are spent."""

    study_id: Id
    entry: Annotated[str, Shape(_read_entry, str)]
    asked_at: Moment
    outcome: Annotated[QuestionOutcome, one_of(QuestionOutcome)]
    spent_millibits: Natural
    limit_millibits: Natural


class ClosingStanding(StrEnum):
    """How a study's closing stands at a party."""

    OPEN = "OPEN"
    """Nothing binds the party: it takes answers, unless it closes the study just now."""
    WAITS = "WAITS"
    """It takes no answers: a run may be settled still."""
    CLOSED = "CLOSED"
    """It holds the cohort."""
    ENDED = "ENDED"
    """The closing is over for good, without a cohort."""


@dataclass(frozen=True, kw_only=True)
class StudyHeld(Content, kind="study_held"):
    """What a party holds of a study: its configuration, how its closing stands, and any cohort."""

    study_id: Id
    configuration: ConfigurationText
    closing: Annotated[ClosingStanding, one_of(ClosingStanding)]
    cohort: Annotated[Cohort | None, object_or_nothing(Cohort.read, Cohort.write)]
