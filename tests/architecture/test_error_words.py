"""Every error code has one row of words, every row a code, and the page says what the rows say."""

from __future__ import annotations

import fnmatch
import re
from collections import Counter

from blindjustice_web.lib.error_words import site_words_of
from mpc_engine import error_words
from tests.architecture.errors_page import ALL_TOPICS, PAGE, page_text
from tests.architecture.raised_codes import raised_codes

ROWS = {code: words for topic in ALL_TOPICS for code, words in topic.words.items()}
VAGUE = re.compile(r"\b(contact support|an error occurred|unknown error|please)\b", re.IGNORECASE)
BREAKS_A_TABLE = set("|<\n")


def test_every_code_that_is_raised_has_words() -> None:
    raised = raised_codes()
    assert {code: raised[code] for code in raised if not fnmatch.filter(ROWS, code)} == {}


def test_every_row_is_of_a_code_that_is_raised() -> None:
    raised = raised_codes()
    assert [row for row in ROWS if not any(fnmatch.fnmatchcase(row, code) for code in raised)] == []


def test_no_code_has_two_rows() -> None:
    counted = Counter(code for topic in ALL_TOPICS for code in topic.words)
    assert [code for code, n in counted.items() if n > 1] == []


def test_the_engine_finds_its_own_words_only() -> None:
    assert error_words.words_of("PEER_TIMEOUT") == site_words_of("PEER_TIMEOUT") is not None
    assert error_words.words_of("SITE_FAILED") is None
    assert site_words_of("SITE_FAILED") is not None


def test_rows_are_made_of_whole_sentences() -> None:
    wrong = [
        f"{code}: {sentence}"
        for code, words in ROWS.items()
        for sentence in words
        if sentence != " ".join(sentence.split())
        or not sentence.endswith((".", ".)"))
        or not (sentence[0].isupper() or sentence.startswith("“"))
        or BREAKS_A_TABLE & set(sentence)
        or VAGUE.search(sentence)
    ]
    assert wrong == []


def test_the_end_of_one_party_is_not_told_as_one_of_both() -> None:
    """A party says so as soon as it has ended, and the other one may know nothing of it yet."""
    for code in ("CLOSING_DISAGREED", "CLOSING_UNFINISHED", "NO_VALID_RECORDS"):
        kept = ROWS[code].kept
        assert "the party that says so" in kept
        assert "both parties" not in kept


def test_the_page_of_codes_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_text(), (
        "run: python -m tests.architecture.errors_page"
    )
