"""Orders and messages about people's challenges of decisions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from mpc_engine.control.post.declarations import REGULATOR_ALONE, Content, Order, Refusal, Subject
from mpc_engine.control.post.exchanges.about_people import MAX_SUBMISSION_BYTES
from mpc_engine.control.post.shapes import Id, base64_of, one_of


class ChallengeSource(StrEnum):
    """What stands behind a challenge: a signed decision record, or what somebody typed."""

    RECORD = "record"
    TYPED = "typed"


@dataclass(frozen=True, kw_only=True)
class ChallengeAccepted(Content, kind="challenge_accepted", said_by=REGULATOR_ALONE):
    """A challenge was taken."""

    challenge_id: Id
    certificate_id: Id
    source: Annotated[ChallengeSource, one_of(ChallengeSource)]


@dataclass(frozen=True, kw_only=True)
class ChallengeRefused(Refusal, kind="challenge_refused", said_by=REGULATOR_ALONE):
    """A challenge was not taken."""

    challenge_id: Id


@dataclass(frozen=True, kw_only=True)
class TakeChallenge(
    Order,
    kind="challenge",
    to=REGULATOR_ALONE,
    subject=Subject("challenge", ("challenge_id",)),
    answered_by=(ChallengeAccepted,),
    refused_by=ChallengeRefused,
):
    """Take a sealed challenge of a decision."""

    study_id: Id
    challenge_id: Id
    certificate_id: Id
    envelope: Annotated[bytes, base64_of(limit=MAX_SUBMISSION_BYTES)]
