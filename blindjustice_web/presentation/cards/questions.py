"""What pages and the API show of the questions that were asked of a study's people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_client import Configuration, QuestionEntry
from blindjustice_web.lib.labels import CriterionName, QuestionKind, QuestionOutcome, title_of
from blindjustice_web.lib.named import Named
from blindjustice_web.presentation.cards.studies import limit_text
from blindjustice_web.studies.models import QuestionStatement, Study
from blindjustice_web.studies.questions import Ledger, agreement_on, bits_text, ledger_of


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
class LedgerView(Ledger):
    """The ledger with its questions in words."""

    questions: list[QuestionView]


def ledger_view(study: Study) -> LedgerView:
    """Return what was asked of the people of a study that has a configuration, oldest first."""
    configuration = engine_client.read_configuration(study.configuration.text)
    ledger = ledger_of(study)
    return LedgerView(
        by_number=ledger.by_number,
        spent_millibits=ledger.spent_millibits,
        limit_millibits=ledger.limit_millibits,
        asked=ledger.asked,
        most_models=ledger.most_models,
        questions=[_view(found, configuration) for found in ledger.by_number.values()],
    )


def _view(statements: Sequence[QuestionStatement], configuration: Configuration) -> QuestionView:
    first = statements[0]
    entries = [engine_client.read_question(statement.entry) for statement in statements]
    entry = entries[0]
    return QuestionView(
        number=entry.number,
        kind=Named.of(entry.kind),
        asked=in_words(entry, configuration),
        asked_at=first.asked_at,
        n_people=entry.n_people,
        model_id=entry.model_id.hex(),
        outcome=Named.of(QuestionOutcome(first.outcome)),
        millibits=max(told.millibits for told in entries),
        agreement=agreement_on(statements),
        statements=[
            StatementView(
                Named.of(Role(statement.role)),
                Named.of(QuestionOutcome(statement.outcome)),
                told.millibits,
                statement.body,
                statement.signature,
            )
            for statement, told in zip(statements, entries, strict=True)
        ],
    )


def in_words(entry: QuestionEntry, configuration: Configuration) -> str:
    """Return what was asked, in plain words."""
    if entry.kind is QuestionKind.TRAINING:
        return _("Train a model on these answers, and open it to the modeler")
    if entry.rule != _rule(configuration.text):
        return _("Does a model keep a rule that is not this study's policy?")
    limits = "; ".join(
        "{}: {}".format(
            title_of(CriterionName(item.criterion)),
            ", ".join(limit_text(item.criterion, limit) for limit in item.thresholds),
        )
        for item in configuration.policy.criteria
    )
    return _("Does a model keep these limits? %(limits)s") % {"limits": limits}


@lru_cache(maxsize=64)
def _rule(text: str) -> bytes:
    return engine_client.policy_rule(engine_client.read_configuration(text))
