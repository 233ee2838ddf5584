"""What the parties say was asked of a study's people: kept as signed, and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client, engine_policies
from blindjustice_web.engine.engine_client import QuestionOutcome
from blindjustice_web.engine.engine_post import Message, about_studies
from blindjustice_web.lib import push
from blindjustice_web.lib.labels import QuestionKind
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.post.hearing import hears
from blindjustice_web.studies.models import QuestionStatement, Study

AGREE, WAITING, DISAGREE = "yes", "waiting", "no"
_ORDER = (QuestionOutcome.RUNNING, QuestionOutcome.ABORTED)
"""Outcomes that another one may follow, in this order."""


@dataclass(frozen=True)
class Ledger:
    """All questions about a study's people, and how much their answers can have told.

    ``by_number`` has the parties' statements about each question, oldest first. ``asked`` are the
    models that certifications of this study asked about, of ``most_models`` that may be.
    """

    by_number: Mapping[int, list[QuestionStatement]]
    spent_millibits: int
    limit_millibits: int
    asked: frozenset[str]
    most_models: int | None

    @property
    def agreement(self) -> str:
        """Return "no" as soon as the parties' words differ anywhere, else "waiting" or "yes"."""
        found = {agreement_on(statements) for statements in self.by_number.values()}
        return next((one for one in (DISAGREE, WAITING) if one in found), AGREE)

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


@hears(about_studies.Question)
@transaction.atomic
def note_question(message: Message[about_studies.Question]) -> None:
    """Keep a party's word about a question; an answer is never replaced by an earlier state."""
    study = Study.objects.filter(pk=message.content.study_id.hex()).first()
    if study is None:
        raise NotThere
    entry = engine_client.read_question(message.content.entry)
    if entry.study_id.hex() != study.id:
        raise NotThere
    values = {
        "entry": message.content.entry,
        "asked_at": message.content.asked_at,
        "outcome": message.content.outcome.value,
        "spent_millibits": message.content.spent_millibits,
        "limit_millibits": message.content.limit_millibits,
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


def ledger_of(study: Study) -> Ledger:
    """Return what was asked of the people of a study that has a configuration, oldest first."""
    configuration = engine_client.read_configuration(study.configuration.text)
    trains = configuration.data_holder.value == Role.MODELER
    by_number: dict[int, list[QuestionStatement]] = {}
    for statement in study.question_statements.order_by("number", "-role"):
        by_number.setdefault(statement.number, []).append(statement)
    told = [one for found in by_number.values() for one in found]
    entries = [engine_client.read_question(text) for text in {one.entry for one in told}]
    asked = (one for one in entries if one.kind is QuestionKind.CERTIFICATION)
    return Ledger(
        by_number=by_number,
        spent_millibits=max((one.spent_millibits for one in told), default=0),
        limit_millibits=1000 * engine_policies.smallest_limit(configuration),
        asked=frozenset(one.model_id.hex() for one in asked),
        most_models=None if trains else configuration.policy.questions,
    )


def agreement_on(statements: Sequence[QuestionStatement]) -> str:
    """Return whether the parties' words about one question are the same, or one is awaited."""
    if any(s.is_contradicted for s in statements) or len({s.entry for s in statements}) > 1:
        return DISAGREE
    outcomes = {s.outcome for s in statements}
    if len(statements) < len(Role) or (
        len(outcomes) > 1 and QuestionOutcome.RUNNING.value in outcomes
    ):
        return WAITING
    return DISAGREE if len(outcomes) > 1 else AGREE


def bits_text(millibits: int) -> str:
    """Return thousandths of a bit as people read bits."""
    return f"{millibits / 1000:.3f}".rstrip("0").rstrip(".")
