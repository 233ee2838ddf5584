"""What every error code means that people can meet on the site: the site's own and the engine's.

The rows are the engine's `Words`: what happened, what was kept, what to do now.
"""

from __future__ import annotations

from blindjustice_web.lib.error_words import access, browser, health, site_studies
from mpc_engine.error_words import RUN, UNCHARGED, Subject, Words
from mpc_engine.error_words import SUBJECTS as OF_ENGINE

__all__ = ["RUN", "SUBJECTS", "UNCHARGED", "Subject", "Words", "said_of", "words_of"]

SUBJECTS = (
    *(Subject(module.TITLE, module.WORDS) for module in (access, browser, site_studies)),
    *OF_ENGINE,
    Subject(health.TITLE, health.WORDS),
)
_WORDS = {code: words for subject in SUBJECTS for code, words in subject.words.items()}


def words_of(code: str) -> Words | None:
    """Return what a code means, in the source's language; None for one that has no words."""
    return _WORDS.get(code)


def said_of(code: str) -> Words:
    """Return what a code means; of one that has no words, what holds of every refusal."""
    return _WORDS.get(code, access.WORDS["INPUT_INVALID"])
