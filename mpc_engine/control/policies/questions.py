"""Questions about a cohort, as both parties count them: one entry each, chained by digests.

An entry says what was asked of whom and what its answer can tell, never what the model is. Both
parties hold the same text, so that the digest of the last one stands for the whole list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from mpc_engine.control.texts.canonical import (
    JsonObject,
    canonical_text,
    digest_text,
    parse_canonical,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.vocabulary.runs import QuestionKind

FORMAT = "bj1 question"
CODE = "QUESTION_INVALID"
ENTRY_LABEL = b"blindjustice/v1/question"
RULE_LABEL = b"blindjustice/v1/question/rule"
NO_ENTRY = bytes(32)
"""The digest before a study's first entry."""
MAX_ENTRY_BYTES = 1 << 11
MAX_MILLIBITS = 1 << 40


@dataclass(frozen=True)
class QuestionEntry:
    """One entry of a study's ledger.

    ``cohort`` names the people (a record set digest) and ``n_people`` counts them; ``rule`` is the
    digest of the rule that was asked about (of a policy), ``model_id`` the model; ``millibits`` is
    what the answer can tell at most, in thousandths of a bit. ``number`` counts from 1 and
    ``previous`` is the digest of the entry before; both are filled in when it is charged.
    """

    study_id: bytes
    kind: QuestionKind
    job_id: bytes
    attempt: int
    cohort: bytes
    n_people: int
    rule: bytes
    model_id: bytes
    millibits: int
    number: int = 1
    previous: bytes = NO_ENTRY

    @property
    def text(self) -> str:
        """Return the canonical text, the same at both parties."""
        return canonical_text(
            {
                "format": FORMAT,
                "study_id": self.study_id.hex(),
                "number": self.number,
                "previous": self.previous.hex(),
                "kind": self.kind.value,
                "job_id": self.job_id.hex(),
                "attempt": self.attempt,
                "cohort": self.cohort.hex(),
                "n_people": self.n_people,
                "rule": self.rule.hex(),
                "model_id": self.model_id.hex(),
                "millibits": self.millibits,
            }
        )

    @property
    def digest(self) -> bytes:
        """Return the 32-byte digest that stands for this entry and all before it."""
        return digest_text(ENTRY_LABEL, self.text)


def parse_question(text: str) -> QuestionEntry:
    """Return an entry; UsageError (``QUESTION_INVALID``) or DecodeError names the fault."""
    fields = Fields(parse_canonical(text, limit=MAX_ENTRY_BYTES), "question", code=CODE)
    fields.choice("format", (FORMAT,))
    entry = QuestionEntry(
        study_id=fields.hex("study_id", 16),
        kind=QuestionKind(fields.choice("kind", [kind.value for kind in QuestionKind])),
        job_id=fields.hex("job_id", 16),
        attempt=fields.integer("attempt"),
        cohort=fields.hex("cohort", 32),
        n_people=fields.integer("n_people", 1),
        rule=fields.hex("rule", 32),
        model_id=fields.hex("model_id", 16),
        millibits=fields.integer("millibits", 0, MAX_MILLIBITS),
        number=fields.integer("number", 1),
        previous=fields.hex("previous", 32),
    )
    fields.end()
    return entry


def rule_digest(rule: JsonObject) -> bytes:
    """Return the 32-byte digest of the rule that a question asks about, such as a policy."""
    return digest_text(RULE_LABEL, canonical_text(rule))


def millibits(bits: Fraction | float) -> int:
    """Return an amount of bits in thousandths, rounded up."""
    return math.ceil(1000 * bits)
