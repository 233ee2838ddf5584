"""The site's one door to the engine's vocabulary: its words, and what people read instead.

Every word has its label here and nowhere else; a test sees to it that none is missing. Rooms,
templates and scripts get words and labels from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from blindjustice_web.lib.labels import claims, outcomes, policies, runs, trainings
from blindjustice_web.lib.labels.label import WordLabel
from blindjustice_web.lib.problems import Text
from mpc_engine.roles import Role as PartyRole
from mpc_engine.vocabulary.claims import ClaimVerdict
from mpc_engine.vocabulary.constraints import Constraint
from mpc_engine.vocabulary.criteria import RATE_CRITERIA, Bound, CriterionName
from mpc_engine.vocabulary.policies import (
    Comparison,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
)
from mpc_engine.vocabulary.rates import Count, RateName
from mpc_engine.vocabulary.runs import (
    Epoch,
    JobKind,
    JobState,
    QuestionKind,
    QuestionOutcome,
    Stage,
)
from mpc_engine.vocabulary.verdicts import NoVerdict, Verdict, VerificationResult

__all__ = [
    "RATE_CRITERIA",
    "LABELS",
    "Bound",
    "ClaimVerdict",
    "Comparison",
    "Constraint",
    "Count",
    "CriterionName",
    "Disclosure",
    "Epoch",
    "JobKind",
    "JobState",
    "WordLabel",
    "MissingAnswers",
    "NoVerdict",
    "PartyRole",
    "QuestionKind",
    "QuestionOutcome",
    "RateName",
    "SmallGroups",
    "Stage",
    "StudyKind",
    "Verdict",
    "VerificationResult",
    "choices_of",
    "sentence_of",
    "title_of",
]

LABELS: dict[type[StrEnum], Mapping[Any, WordLabel]] = {
    Bound: policies.BOUNDS,
    ClaimVerdict: claims.CLAIM_VERDICTS,
    Comparison: policies.COMPARISONS,
    Constraint: trainings.CONSTRAINTS,
    Count: policies.COUNTS,
    CriterionName: policies.CRITERIA,
    Disclosure: policies.DISCLOSURES,
    JobKind: runs.JOB_KINDS,
    JobState: runs.JOB_STATES,
    MissingAnswers: policies.MISSING_ANSWERS,
    NoVerdict: outcomes.REASONS,
    PartyRole: runs.ROLES,
    QuestionKind: runs.QUESTION_KINDS,
    QuestionOutcome: outcomes.QUESTION_OUTCOMES,
    RateName: policies.RATES,
    SmallGroups: policies.SMALL_GROUPS,
    Stage: runs.STAGES,
    StudyKind: policies.STUDY_KINDS,
    Verdict: outcomes.VERDICTS,
    VerificationResult: outcomes.VERIFICATIONS,
}
"""The labels of every enumeration; two of them may share a text, so a word alone is no key."""


def title_of(word: StrEnum) -> str:
    """Return what people read for a word."""
    return str(LABELS[type(word)][word].title)


def sentence_of(word: StrEnum) -> str:
    """Return what a word means, in a sentence; "" where the title says it all."""
    return str(LABELS[type(word)][word].sentence)


def choices_of(words: type[StrEnum]) -> list[tuple[str, Text]]:
    """Return the choices of a column or field that holds one of these words."""
    return [(word.value, label.title) for word, label in LABELS[words].items()]
