"""A person's pages: light, quick, usable by keyboard; her receipt, her data, her challenge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tools.showroom.inspect import faults_of
from tools.showroom.visit import Showroom, Visit, visit

MOST_BYTES = 120_000
MOST_GENERATIONS = 2
KEPT = """
async () => {
  const open = indexedDB.open("blind-justice-receipts", 1);
  const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
  const all = database.transaction("participations").objectStore("participations").getAll();
  const [one] = await new Promise((done) => { all.onsuccess = () => done(all.result); });
  database.close();
  return { study_id: one.studyId, record_id: one.recordId, submission_id: one.body.submission_id,
    sequence: one.body.sequence, common_digest: one.commonDigest };
}
"""


@pytest.fixture
def uma(chromium: Browser, room: Showroom) -> Iterator[Visit]:
    """Return Uma's browser; no page may meet an error in it."""
    with visit(chromium, room, "uma") as found:
        yield found
        assert found.faults == []


def _bytes_of(page: Page, path: str) -> int:
    session = page.context.new_cdp_session(page)
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(path)
    page.wait_for_load_state("networkidle")
    session.detach()
    return int(sum(sizes))


@pytest.mark.parametrize(
    "name", ["take-part", "receipt", "me", "challenge-new-typed", "challenge-confirmed"]
)
def test_a_person_s_page_is_light(chromium: Browser, room: Showroom, name: str) -> None:
    shown = room.page(name)
    with visit(chromium, room, shown.who) as found:
        n_bytes = _bytes_of(found.page, shown.path)
        assert 10_000 < n_bytes < MOST_BYTES


def _requests_of(page: Page, path: str) -> list[dict[str, Any]]:
    """Open a page as for the first time; return what was requested, and by whom."""
    session = page.context.new_cdp_session(page)
    asked: list[dict[str, Any]] = []
    session.on("Network.requestWillBeSent", lambda event: asked.append(event))
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(path)
    page.wait_for_load_state("networkidle")
    session.detach()
    return asked


def _asked_by(request: dict[str, Any]) -> str:
    """Return the address of the document or script that a request was made by."""
    initiator = request["initiator"]
    stack = initiator.get("stack", {})
    while stack and not stack["callFrames"]:
        stack = stack.get("parent", {})
    return str(initiator.get("url") or (stack["callFrames"][0]["url"] if stack else ""))


def _generation(url: str, asked: dict[str, dict[str, Any]]) -> int:
    """Return how many requests had to be made one after the other before this one could be."""
    asker = _asked_by(asked[url]) if url in asked else ""
    return 1 + _generation(asker, asked) if asker else 0


def _is_on_demand(url: str, asked: dict[str, dict[str, Any]]) -> bool:
    """Tell whether a module comes with one that is fetched while she reads the form."""
    return bool(url) and ("/lib/sharing." in url or _is_on_demand(_asked_by(asked[url]), asked))


PAGES_WITH_MODULES = (
    "take-part-quick",
    "receipt",
    "me",
    "challenge-new-typed",
    "challenge-confirmed",
    "certificate-valid",
    "modeler-study-judged",
    "modeler-model-new",
    "regulator-study-judged",
)


@pytest.mark.parametrize("name", PAGES_WITH_MODULES)
def test_no_module_is_found_out_about_late(chromium: Browser, room: Showroom, name: str) -> None:
    """Each is named by the page itself, so that none waits for the one that imports it."""
    shown = room.page(name)
    with visit(chromium, room, shown.who) as found:
        requests = _requests_of(found.page, shown.path)
    asked = {one["request"]["url"]: one for one in requests}
    modules = [url for url in asked if url.endswith(".js") and not _is_on_demand(url, asked)]
    assert len(modules) > 3
    assert {url for url in modules if asked[url]["initiator"]["type"] != "parser"} == set()


def test_the_form_waits_for_one_question_to_the_site_at_most(
    chromium: Browser, room: Showroom
) -> None:
    """First all that the page names, then whether the invitation was answered."""
    path = room.page("take-part-quick").path
    with visit(chromium, room, "anonymous") as found:
        requests = _requests_of(found.page, path)
        expect(found.page.get_by_test_id("answer-form")).to_be_visible()
    asked = {one["request"]["url"]: one for one in requests}
    generations = {url: _generation(url, asked) for url in asked if not _is_on_demand(url, asked)}
    assert max(generations.values()) == MOST_GENERATIONS, generations
    assert [
        url for url, n in generations.items() if n == MOST_GENERATIONS and "/api/" not in url
    ] == []


def _tab_to(page: Page, test_id: str) -> None:
    """Press Tab until an element has the focus."""
    for _press in range(60):
        if page.evaluate("document.activeElement?.dataset.testid") == test_id:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {test_id}")


def _answer_by_keyboard(page: Page, months: str) -> None:
    expect(page.get_by_test_id("answer-age-over_25")).to_be_visible()
    _tab_to(page, "answer-age-over_25")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    _tab_to(page, "feature-duration")
    page.keyboard.type(months)
    _tab_to(page, "label-favourable")
    page.keyboard.press("Space")
    _tab_to(page, "send-answer")
    page.keyboard.press("Enter")


def test_she_answers_prints_sees_her_data_and_replaces_by_keyboard(
    room: Showroom, uma: Visit
) -> None:
    page = uma.page
    page.goto(room.page("take-part").path)
    page.get_by_test_id("answer-form").wait_for(state="visible")
    _answer_by_keyboard(page, "24")
    receipt = page.get_by_test_id("receipt")
    expect(receipt).to_have_attribute("data-standing", "waiting")
    room.both_say("receipt", **page.evaluate(KEPT))
    expect(receipt).to_have_attribute("data-standing", "held")
    first = page.evaluate(KEPT)["sequence"]
    assert faults_of(page) == []
    _tab_to(page, "show-receipt")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("receipt-standing")).to_have_attribute("data-state", "HELD")
    expect(page.locator("img.qr")).to_have_js_property("naturalWidth", 212)
    page.evaluate("window.print = () => { document.documentElement.dataset.printed = 'yes'; }")
    page.get_by_role("button", name="Print").press("Enter")
    expect(page.locator("html")).to_have_attribute("data-printed", "yes")
    page.goto("/me/")
    mine = page.get_by_test_id("participation")
    expect(mine).to_contain_text("Nothing has been asked of these people yet.")
    expect(mine).to_contain_text("64 of 64 bits are left")
    assert faults_of(page) == []
    mine.get_by_role("link", name="Replace my answer").press("Enter")
    replace = page.get_by_test_id("replace-answer")
    expect(replace).to_be_visible()  # a key press waits for the button, but not until it shows
    replace.press("Enter")
    _answer_by_keyboard(page, "12")
    expect(receipt).to_have_attribute("data-standing", "waiting")
    assert page.evaluate(KEPT)["sequence"] > first


def test_declining_looks_like_any_answer(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous") as found:
        found.open(room.page("take-part-quick").path)
        choices = found.page.locator("#attribute-age .choice")
        looks = choices.evaluate_all(
            "(all) => all.map((one) => { const { color, backgroundColor, fontSize, fontWeight,"
            " borderColor } = getComputedStyle(one); const { width, height } ="
            " one.getBoundingClientRect(); return JSON.stringify([color, backgroundColor, fontSize,"
            " fontWeight, borderColor, Math.round(width), Math.round(height)]); })"
        )
        assert len(looks) == 3
        assert len(set(looks)) == 1


def test_a_receipt_on_paper_is_the_receipt_alone(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "anonymous") as found:
        found.open(room.page("receipt").path)
        found.page.emulate_media(media="print")
        for hidden in (".bar", ".foot", ".learns", "#print"):
            expect(found.page.locator(hidden)).to_be_hidden()
        for shown in ("h1", "img.qr", "[data-testid=receipt-standing]"):
            expect(found.page.locator(shown)).to_be_visible()


def test_a_one_hot_column_is_one_choice(room: Showroom, uma: Visit) -> None:
    page = uma.page
    page.goto(room.page("take-part-choices").path)
    page.get_by_test_id("answer-age-over_25").check()
    page.get_by_test_id("feature-duration").fill("24")
    page.get_by_test_id("label-favourable").check()
    page.get_by_test_id("send-answer").click()
    region = page.get_by_test_id("column-region")
    expect(region).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#error-column-region")).to_have_text("Please choose one.")
    expect(region.get_by_role("radio")).to_have_count(5)
    region.get_by_label("South").check()
    page.get_by_test_id("send-answer").click()
    expect(page.get_by_test_id("receipt")).to_have_attribute("data-standing", "waiting")
