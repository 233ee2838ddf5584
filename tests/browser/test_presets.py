"""A regulator composes each preset by what the page says; a person reads the same sentences."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.cast import expect_state, import_key, log_in, save_links, sign_proposal
from tests.browser.conftest import NewPage
from tests.browser.study_form import CATEGORIES, LABEL, fill_features, open_form, submit
from tests.running_stack import RunningStack

PRESETS = {
    "four_fifths": ["at least 80 % of the other's", "no number about a group"],
    "nyc_ll144": ["the one selected most often", "or 2 % of those", "how many people each"],
    "equal_opportunity": ["differs by at most 10 percentage points", "whose outcome is"],
}
"""What the sentences of each say."""


def compose(page: Page, title: str, preset: str) -> list[str]:
    """Compose and publish a policy; return what the page said while it was composed."""
    page.goto("/regulator/")
    page.locator("#nav-policies").click()
    page.get_by_test_id("compose").click()
    page.get_by_test_id("policy-title").fill(title)
    page.get_by_test_id("policy-start").select_option(preset)
    page.get_by_test_id("attribute-title").fill("age group")
    page.get_by_test_id("attribute-question").fill("How old are you?")
    page.get_by_test_id("attribute-categories").fill(CATEGORIES)
    page.get_by_test_id("label-title").fill(LABEL["title"])
    page.get_by_test_id("label-favourable").fill(LABEL["favourable"])
    page.get_by_test_id("label-unfavourable").fill(LABEL["unfavourable"])
    for words in PRESETS[preset]:
        expect(page.get_by_test_id("policy-sentences")).to_contain_text(words)
    expect(page.get_by_test_id("policy-sentences")).to_contain_text("by age group")
    said = sentences(page)
    page.get_by_test_id("publish").click()
    expect(page.get_by_test_id("policy-standing")).to_have_text("Published")
    assert sentences(page) == said
    return said


def sentences(page: Page) -> list[str]:
    """Return what the open page says about the policy."""
    return page.get_by_test_id("policy-sentences").first.locator("p").all_inner_texts()


def test_a_person_reads_what_the_regulator_composed(
    new_page: NewPage, stack: RunningStack, tmp_path: Path
) -> None:
    mo, rae, uma = new_page(accept_downloads=True), new_page(), new_page()
    for page, role in ((mo, "modeler"), (rae, "regulator")):
        log_in(page, stack, role)
        import_key(page, stack, role)
    for preset in PRESETS:
        title = f"Age in lending: {preset}"
        composed = compose(rae, title, preset)

        open_form(mo, title)
        mo.get_by_test_id("policy-start").select_option(label=title)
        expect(mo.get_by_test_id("draft-label-favourable")).to_have_value(LABEL["favourable"])
        fill_features(mo)
        study = submit(mo)
        sign_proposal(mo, "configuration")
        rae.goto(f"/regulator/studies/{study}/")
        expect(rae.get_by_test_id("published-as")).to_contain_text(title)
        assert sentences(rae) == composed
        sign_proposal(rae, "configuration")
        expect_state(mo, "OPEN")

        (link,) = save_links(mo, 1, tmp_path)
        uma.goto(link)
        expect(uma.get_by_test_id("answer-form")).to_be_visible()
        assert sentences(uma) == composed
