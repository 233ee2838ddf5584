"""What two parties run together, where a run stands, its stages, and the questions it asks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from mpc_engine.vocabulary.verdicts import Verdict


class JobKind(StrEnum):
    """What two parties can be asked to do together."""

    CLOSING = "closing"
    CERTIFICATION = "certification"
    TRAINING = "training"
    VERIFICATION = "verification"


class JobState(StrEnum):
    """Where a job stands, as the web keeps it."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Return whether nothing follows this state."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


class QuestionKind(StrEnum):
    """What can be asked about a cohort: the runs that a ledger charges."""

    CERTIFICATION = JobKind.CERTIFICATION.value
    TRAINING = JobKind.TRAINING.value


class QuestionOutcome(StrEnum):
    """How a question ended; aborted ones count too, for their answer may have been seen."""

    RUNNING = JobState.RUNNING.value
    ABORTED = "ABORTED"
    PASS = Verdict.PASS.value
    FAIL = Verdict.FAIL.value
    UNDETERMINED = Verdict.UNDETERMINED.value
    REFUSED = "REFUSED"
    UNDELIVERED = "UNDELIVERED"
    MODEL_OPENED = "MODEL_OPENED"

    @property
    def is_answer(self) -> bool:
        """Return whether the question was answered to its end."""
        return self not in (QuestionOutcome.RUNNING, QuestionOutcome.ABORTED)


class Stage(StrEnum):
    """What a run is doing: what a protocol tells, and under what a report counts costs."""

    SET_UP = "set-up"
    OBLIVIOUS_TRANSFER = "oblivious transfer"
    PREPARED_MATERIAL = "prepared material"
    CHECKING_ANSWERS = "checking answers"
    CONSTRAINTS = "constraints"
    SUMS_OVER_PEOPLE = "sums over people"
    COUNTING_DECISIONS = "counting decisions"
    VERDICT_AND_SIGNATURE = "verdict and signature"
    DECISIONS = "decisions"
    MATERIAL = "material"
    """Products of random values with a training's rows; a party's job tells its `Epoch` instead."""
    TRAINING = "training"
    OTHER = "other"


@dataclass(frozen=True)
class Epoch:
    """Where a training is, as its progress tells instead of a stage; all are counted from 1."""

    number: int
    n_epochs: int
    point: int = 1
    n_points: int = 1

    def __str__(self) -> str:
        """Return the text of the progress; of one point alone, none is told."""
        text = f"epoch {self.number} of {self.n_epochs}"
        return text if self.n_points == 1 else f"point {self.point} of {self.n_points}, {text}"

    @classmethod
    def read(cls, text: str) -> Epoch | None:
        """Return the epoch that a text tells, or None where it tells a stage."""
        told = _EPOCH.fullmatch(text)
        if told is None:
            return None
        point, n_points, number, n_epochs = (int(found or "1") for found in told.groups())
        return cls(number, n_epochs, point, n_points)


_EPOCH = re.compile(
    r"(?:point (\d{1,9}) of (\d{1,9}), )?epoch (\d{1,9}) of (\d{1,9})",
    re.ASCII,
)
