"""The page of error codes holds every code once, and what shows a code leads there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.utils.html import escape

from blindjustice_web.lib.error_words import SITE_TOPICS, site_words_of
from blindjustice_web.lib.problems import Problem
from blindjustice_web.portals.templatetags.blindjustice import error_link, error_texts
from tests.web.stories import World

ROWS = {code: words for topic in SITE_TOPICS for code, words in topic.words.items()}
ROOT = Path(__file__).resolve().parents[2]
WRITTEN = re.compile(r'data-text="error_([A-Z0-9_]+?)(?:_kept|_next)?"')
PLACE = re.compile(r'<article [^>]*\bid="([A-Z0-9_]+)"')


def _page(client: Client) -> str:
    answer = client.get("/errors/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_code_stands_once_with_all_its_words(world: World) -> None:
    page = _page(world.clients["anonymous"])
    assert sorted(PLACE.findall(page)) == sorted(ROWS)
    for code, words in ROWS.items():
        article = page[page.index(f'id="{code}"') :].partition("</article>")[0]
        for sentence in words:
            assert f"<dd>{escape(sentence)}</dd>" in article, code


def test_a_problem_of_the_api_names_its_place_on_the_page(world: World) -> None:
    page = _page(world.clients["anonymous"])
    problem = world.get("anonymous", "/studies").json()
    address, _, place = problem["type"].partition("#")
    assert (address, place) == ("/errors/", "LOG_IN_NEEDED")
    assert place in PLACE.findall(page)


def test_a_problem_says_what_its_code_says_where_the_case_adds_nothing(world: World) -> None:
    study = world.opened()
    problem = world.post("mo", f"/studies/{study.id}/submit", {}).json()
    words = site_words_of(problem["code"])
    assert words is not None
    assert (problem["kept"], problem["next"]) == (words.kept, words.next)


def test_a_problem_on_a_page_leads_to_its_code(world: World) -> None:
    answer = world.clients["mo"].post("/modeler/audit/export/", {"format": "xml"})
    page = answer.content.decode()
    assert 'href="/errors/#EXPORT_FORMAT_UNKNOWN"' in page


def test_a_failed_run_says_what_its_code_says_and_leads_there(world: World) -> None:
    study, records = world.invited()
    for record in records:
        world.answered(study, record)
    job = world.closing_job(study)
    failed = {"job_id": job.id, "attempt": job.attempt, "code": "DISK_FULL", "sentence": "Full."}
    for party in world.parties:
        party.says("job_failed", **failed)
    page = world.study_page("mo", study)
    assert 'href="/errors/#DISK_FULL"' in page
    assert escape(ROWS["DISK_FULL"].kept) in page


def test_what_a_party_refused_leads_to_its_code(world: World) -> None:
    study = world.drafted()
    world.post("mo", f"/studies/{study.id}/submit", {})
    refused = {"study_id": study.id, "code": "STORE_ALTERED", "sentence": "It came back different."}
    world.parties.regulator.says("study_key_refused", **refused)
    page = world.study_page("mo", study)
    assert 'href="/errors/#STORE_ALTERED"' in page


def test_a_code_without_words_is_shown_and_leads_nowhere() -> None:
    assert error_link("<OF_A_NEWER_PARTY>") == '<span class="hash">&lt;OF_A_NEWER_PARTY&gt;</span>'
    assert error_link("") == ""


def test_a_problem_whose_code_has_no_words_names_no_place() -> None:
    told = Problem("OF_A_NEWER_PARTY", "No.").as_json()
    assert (told["code"], told["type"]) == ("OF_A_NEWER_PARTY", "about:blank")


def test_scripts_explain_only_codes_of_the_catalogue() -> None:
    """A script links a code where the page has a sentence for it under ``error_``."""
    written = {
        code
        for path in (ROOT / "templates").rglob("*.html")
        for code in WRITTEN.findall(path.read_text(encoding="utf-8"))
    }
    assert "BAD_ANSWER" in written
    assert written <= set(ROWS)
    with pytest.raises(LookupError):
        error_texts("OF_NOBODY")


def test_scripts_find_the_sentences_of_their_codes_on_the_page(world: World) -> None:
    """The page of a study carries what its scripts say, three sentences of each code."""
    study = world.opened()
    page = world.study_page("mo", study)
    for part, sentence in zip(("", "_kept", "_next"), ROWS["FILE_CHANGED"], strict=True):
        assert f'<i data-text="error_FILE_CHANGED{part}">{escape(sentence)}</i>' in page
