"""What the parties say was asked of a study's people: kept as signed, compared, put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client, engine_policies
from blindjustice_web.engine.engine_client import Message, QuestionEntry, QuestionOutcome
from blindjustice_web.lib import push
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.studies.cards import criterion_named, limit_text
from blindjustice_web.studies.models import QuestionStatement, Study

AGREE, WAITING, DISAGREE = "yes", "waiting", "no"
_ORDER = (QuestionOutcome.RUNNING, QuestionOutcome.ABORTED)
"""Outcomes that another one may follow, in this order."""


@dataclass(frozen=True)
class StatementView:
    """One party's signed word about a question."""

    role: Named
    outcome: Named
    millibits: int
    body: str
    signature: str


@dataclass(frozen=True)
class QuestionView:
    """One question, as both parties' statements have it.

    ``agreement`` is "yes", "waiting" (for a party's word) or "no"; with "no" the rest is the
    regulator's word if there is one.
    """

    number: int
    kind: Named
    asked: str
    asked_at: datetime
    n_people: int
    model_id: str
    outcome: Named
    millibits: int
    agreement: str
    statements: list[StatementView]

    @property
    def bits(self) -> str:
        """Return what was charged, in bits, for people."""
        return bits_text(self.millibits)


@dataclass(frozen=True)
class LedgerView:
    """All questions about a study's people, and how much their answers can have told.

    ``agreement`` is "no" as soon as the parties' words differ anywhere.
    """

    questions: list[QuestionView]
    spent_millibits: int
    limit_millibits: int
    agreement: str

    @property
    def spent(self) -> str:
        """Return what was charged in all, in bits."""
        return bits_text(self.spent_millibits)

    @property
    def limit(self) -> str:
        """Return what may be charged in all, in bits."""
        return bits_text(self.limit_millibits)

    @property
    def left(self) -> str:
        """Return what is left, in bits."""
        return bits_text(self.left_millibits)

    @property
    def left_millibits(self) -> int:
        """Return what is left, in thousandths of a bit."""
        return max(0, self.limit_millibits - self.spent_millibits)


@transaction.atomic
def note_question(message: Message) -> None:
    """Keep a party's word about a question; an answer is never replaced by an earlier state."""
    study = Study.objects.filter(pk=message.text("study_id")).first()
    if study is None:
        raise NotThere
    entry = engine_client.read_question(message.text("entry"))
    if entry.study_id.hex() != study.id:
        raise NotThere
    values = {
        "entry": message.text("entry"),
        "asked_at": parse_datetime(message.text("asked_at")),
        "outcome": message.text("outcome"),
        "spent_millibits": message.integer("spent_millibits"),
        "limit_millibits": message.integer("limit_millibits"),
        "body": message.body,
        "signature": message.signature.hex(),
    }
    kept, fresh = QuestionStatement.objects.select_for_update().get_or_create(
        study=study, role=message.role.value, number=entry.number, defaults=values
    )
    if not fresh:
        _take_later_word(kept, values)
    push.push_change(push.study_group(study.id), "questions")


def _take_later_word(kept: QuestionStatement, values: Mapping[str, object]) -> None:
    later = QuestionOutcome(str(values["outcome"]))
    if kept.entry != values["entry"]:
        kept.is_contradicted = True
    elif _rank(later) > _rank(QuestionOutcome(kept.outcome)):
        for name, value in values.items():
            setattr(kept, name, value)
    elif later.value != kept.outcome and later.is_answer:
        kept.is_contradicted = True
    kept.save()


def _rank(outcome: QuestionOutcome) -> int:
    return _ORDER.index(outcome) if outcome in _ORDER else len(_ORDER)


def ledger_of(study: Study) -> LedgerView:
    """Return what was asked of the people of a study that has a configuration, oldest first."""
    configuration = engine_client.read_configuration(study.configuration.text)
    by_number: dict[int, list[QuestionStatement]] = {}
    statements = list(study.question_statements.order_by("number", "-role"))
    for statement in statements:
        by_number.setdefault(statement.number, []).append(statement)
    questions = [_view(found, configuration) for found in by_number.values()]
    agreements = {question.agreement for question in questions}
    return LedgerView(
        questions=questions,
        spent_millibits=max((s.spent_millibits for s in statements), default=0),
        limit_millibits=1000 * engine_policies.smallest_limit(configuration),
        agreement=next((a for a in (DISAGREE, WAITING) if a in agreements), AGREE),
    )


def _view(
    statements: list[QuestionStatement], configuration: engine_client.Configuration
) -> QuestionView:
    first = statements[0]
    entry = engine_client.read_question(first.entry)
    return QuestionView(
        number=entry.number,
        kind=kind_named(entry.kind.value),
        asked=in_words(entry, configuration),
        asked_at=first.asked_at,
        n_people=entry.n_people,
        model_id=entry.model_id.hex(),
        outcome=outcome_named(first.outcome),
        millibits=max(engine_client.read_question(s.entry).millibits for s in statements),
        agreement=_agreement(statements),
        statements=[
            StatementView(
                Named.of(Role(s.role)),
                outcome_named(s.outcome),
                engine_client.read_question(s.entry).millibits,
                s.body,
                s.signature,
            )
            for s in statements
        ],
    )


def _agreement(statements: list[QuestionStatement]) -> str:
    if any(s.is_contradicted for s in statements) or len({s.entry for s in statements}) > 1:
        return DISAGREE
    outcomes = {s.outcome for s in statements}
    if len(statements) < len(Role) or (
        len(outcomes) > 1 and QuestionOutcome.RUNNING.value in outcomes
    ):
        return WAITING
    return DISAGREE if len(outcomes) > 1 else AGREE


def in_words(entry: QuestionEntry, configuration: engine_client.Configuration) -> str:
    """Return what was asked, in plain words."""
    if entry.kind.value == "training":
        return _("Train a model on these answers, and open it to the modeler")
    if entry.rule != _rule(configuration.text):
        return _("Does a model keep a rule that is not this study's policy?")
    limits = "; ".join(
        "{}: {}".format(
            criterion_named(item.criterion).label,
            ", ".join(limit_text(item.criterion, limit) for limit in item.thresholds),
        )
        for item in configuration.policy.criteria
    )
    return _("Does a model keep these limits? %(limits)s") % {"limits": limits}


@lru_cache(maxsize=64)
def _rule(text: str) -> bytes:
    return engine_client.policy_rule(engine_client.read_configuration(text))


def kind_named(kind: str) -> Named:
    """Return a kind of question with its label."""
    names = {"certification": _("Certification"), "training": _("Training")}
    return Named(kind, names.get(kind, kind))


def outcome_named(outcome: str) -> Named:
    """Return how a question ended with its label."""
    names = {
        "RUNNING": _("Being computed"),
        "ABORTED": _("Aborted; counted all the same"),
        "PASS": _("Passed"),
        "FAIL": _("Did not pass"),
        "UNDETERMINED": _("No verdict"),
        "MODEL_OPENED": _("A model was opened"),
    }
    return Named(outcome, names.get(outcome, outcome))


def bits_text(millibits: int) -> str:
    """Return thousandths of a bit as people read bits."""
    return f"{millibits / 1000:.3f}".rstrip("0").rstrip(".")
