"""What every error code means that people can meet on the site: the site's own and the engine's.

The rows are the engine's `Words`: what happened, what was kept, what to do now.
"""

from __future__ import annotations

from blindjustice_web.lib.error_words import access, browser, health, site_studies
from mpc_engine.error_words import RUN, TOPICS, UNCHARGED, Topic, Words

__all__ = ["RUN", "SITE_TOPICS", "UNCHARGED", "Topic", "Words", "said_of", "site_words_of"]

SITE_TOPICS = (
    *(Topic(module.TITLE, module.WORDS) for module in (access, browser, site_studies)),
    *TOPICS,
    Topic(health.TITLE, health.WORDS),
)
_WORDS = {code: words for topic in SITE_TOPICS for code, words in topic.words.items()}


def site_words_of(code: str) -> Words | None:
    """Return what a code means, in the source's language; None for one that has no words."""
    return _WORDS.get(code)


def said_of(code: str) -> Words:
    """Return what a code means; of one that has no words, what holds of every refusal."""
    return _WORDS.get(code, access.WORDS["INPUT_INVALID"])
