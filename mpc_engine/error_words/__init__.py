"""What an error code means to whoever meets it: the one table of words, by subject.

Every code of the engine has a row, the site's own stand in ``blindjustice_web.lib.error_words``.
The sentence of an error says what happened in that one case; these say it of the code, and beside
it what was kept and what to do. ``docs/errors.md``, the site's page of codes, its API and the
party's commands all show them from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mpc_engine.error_words import (
    answers,
    cases,
    clients,
    ledger,
    models,
    party,
    runs,
    signed,
    studies,
    tables,
)
from mpc_engine.error_words.rows import RUN, UNCHARGED, Words

__all__ = ["RUN", "UNCHARGED", "TOPICS", "Topic", "Words", "words_of"]


class Topic(NamedTuple):
    """Codes that one meets in the same place."""

    title: str
    words: Mapping[str, Words]


TOPICS = tuple(
    Topic(module.TITLE, module.WORDS)
    for module in (
        answers,
        studies,
        tables,
        models,
        runs,
        ledger,
        cases,
        signed,
        party,
        clients,
    )
)
_WORDS = {code: words for topic in TOPICS for code, words in topic.words.items()}


def words_of(code: str) -> Words | None:
    """Return what a code of the engine means; None for one that is not the engine's."""
    return _WORDS.get(code)
