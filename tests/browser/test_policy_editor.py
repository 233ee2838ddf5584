"""The policy editor: its fields, what they say, refusals beside them; also without a script."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.study_form import CATEGORIES, LABEL, fill_asked, fill_features, open_form
from tools.showroom.visit import Showroom, visit

PAUSE_MS = 300
POLICY = "**/regulator/policies/editor/"
N_LOOKS = 50
"""Far more than the page needs to read an answer that has come."""


def fill_about(page: Page) -> None:
    """Say what people are asked and what is decided, where a policy is composed."""
    page.get_by_test_id("attribute-title").fill("age group")
    page.get_by_test_id("attribute-question").fill("How old are you?")
    page.get_by_test_id("attribute-categories").fill(CATEGORIES)
    for name in ("title", "favourable", "unfavourable"):
        page.get_by_test_id(f"label-{name}").fill(LABEL[name])


def test_every_change_is_told_and_what_can_not_be_is_refused_at_its_field(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "rae") as found:
        found.open("/regulator/policies/new/")
        page = found.page
        said, charge = page.get_by_test_id("policy-sentences"), page.get_by_test_id("policy-charge")
        expect(page.get_by_test_id("policy-waits")).to_be_visible()
        fill_about(page)
        expect(said).to_contain_text("at least 80 % of the other's")
        expect(charge).to_contain_text("Of the 64 bits")

        page.get_by_test_id("thresholds").fill("75 90")
        expect(page.get_by_test_id("policy-start")).to_have_value("")
        refused = page.locator("[data-row-error]")
        expect(refused).to_contain_text("must be among them")
        expect(said).to_be_hidden()
        page.get_by_test_id("certify_at").fill("90")
        expect(refused).to_contain_text("which of several limits are kept")
        page.get_by_test_id("kind-published").check()
        expect(said).to_contain_text("it is published which of several limits are kept")
        page.get_by_test_id("questions").fill("17")
        expect(page.get_by_test_id("error-questions")).to_contain_text("from 1 to 16")
        page.get_by_test_id("questions").fill("3")
        expect(said).to_contain_text("At most 3 models can be asked about")
        expect(said).to_contain_text("at least 90 % of the other's")
        expect(refused).to_be_hidden()

        page.get_by_test_id("missing_answers-worst_case_certifies").check()
        expect(said).to_contain_text("only if it passes whatever groups")
        page.get_by_test_id("small_groups-excluded").check()
        expect(page.get_by_test_id("error-missing_answers")).to_contain_text("lift a group over")
        page.get_by_test_id("missing_answers-left_out").check()
        page.get_by_test_id("criterion").select_option("acceptance_rate_z_test")
        page.get_by_test_id("thresholds").fill("1.96")
        page.get_by_test_id("certify_at").fill("1.96")
        expect(page.get_by_test_id("error-criteria")).to_contain_text("certifies nothing")
        page.get_by_test_id("criterion").select_option("accuracy_ratio")
        page.get_by_test_id("thresholds").fill("75 90")
        page.get_by_test_id("certify_at").fill("90")
        page.get_by_test_id("add-criterion").click()
        added = page.locator('[data-row="criterion"]').last
        added.get_by_test_id("criterion").select_option("accuracy_z_test")
        added.get_by_test_id("thresholds").fill("1.96")
        expect(said).to_contain_text("does not differ significantly (z at most 1.96)")
        page.get_by_test_id("disclosure-table").check()
        page.get_by_test_id("question_bits_limit").fill("20")
        expect(page.get_by_test_id("error-question_bits_limit")).to_contain_text("20")
        page.get_by_test_id("scope-listed").check()
        page.get_by_test_id("groups").fill("age_group × origin")
        page.get_by_test_id("question_bits_limit").fill("900")
        expect(page.get_by_test_id("error-groups")).to_contain_text('"origin"')
        page.get_by_test_id("groups").fill("age_group")
        expect(charge).to_contain_text("with 10,000 people")
        page.get_by_test_id("publish").click()
        expect(page.get_by_test_id("error-title")).to_be_visible()
        expect(page.get_by_test_id("groups")).to_have_value("age_group")
        assert [fault for fault in found.faults if "422" not in fault] == []


def test_an_answer_to_an_older_question_takes_nothing_back(
    chromium: Browser, room: Showroom
) -> None:
    """It came once in the quarter of a second in which the newer one waits for a pause."""
    with visit(chromium, room, "rae") as found:
        page = found.page
        page.clock.install()
        found.open("/regulator/policies/new/")
        fill_about(page)
        page.clock.run_for(PAUSE_MS)
        expect(page.get_by_test_id("policy-sentences")).to_contain_text("at least 80 %")
        page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))

        held: list[Route] = []
        page.route(POLICY, lambda route: route.continue_() if held else held.append(route))
        page.get_by_test_id("attribute-title").fill("age")
        with page.expect_request(POLICY):
            page.clock.run_for(PAUSE_MS)
        page.get_by_test_id("thresholds").fill("75 90")
        start = page.get_by_test_id("policy-start")
        expect(start).to_have_value("")
        with page.expect_response(POLICY) as answered:
            held[0].continue_()
        assert answered.value.text()
        for _look in range(N_LOOKS):
            assert start.input_value() == ""
        page.clock.run_for(PAUSE_MS)
        expect(page.locator("[data-row-error]")).to_contain_text("must be among them")


def test_a_policy_is_published_without_a_script(chromium: Browser, room: Showroom) -> None:
    with visit(chromium, room, "rae", java_script_enabled=False) as found:
        found.open("/regulator/policies/new/")
        page = found.page
        page.get_by_test_id("policy-title").fill("Made without a script")
        fill_about(page)
        page.get_by_test_id("policy-start").select_option("nyc_ll144")
        page.get_by_role("button", name="Fill in the fields").click()
        expect(page.get_by_test_id("policy-title")).to_have_value("Made without a script")
        expect(page.get_by_test_id("policy-sentences")).to_contain_text("selected most often")
        page.get_by_test_id("add-criterion").click()
        expect(page.get_by_test_id("criterion")).to_have_count(2)
        page.get_by_test_id("minimum_percent").fill("three")
        page.get_by_test_id("publish").click()
        expect(page.get_by_test_id("error-minimum_percent")).to_contain_text("from 0 to below 50")
        page.get_by_test_id("minimum_percent").fill("3")
        page.get_by_test_id("publish").click()
        expect(page.get_by_test_id("policy-standing")).to_have_text("Published")
        page.get_by_test_id("withdraw").click()
        expect(page.get_by_test_id("policy-standing")).to_have_text("Withdrawn")


def test_a_modeler_changes_a_preset_and_a_faulty_policy_makes_no_study(
    chromium: Browser, room: Showroom
) -> None:
    with visit(chromium, room, "mo") as found:
        page = found.page
        open_form(page, "A policy of its own")
        fill_asked(page)
        fill_features(page)
        page.get_by_test_id("policy-start").select_option("nyc_ll144")
        expect(page.get_by_test_id("question_bits_limit")).to_have_value("5000")
        page.get_by_test_id("draft-title").fill("A policy of its own, named last")
        expect(page.get_by_test_id("question_bits_limit")).to_have_value("5000")
        page.get_by_test_id("minimum_group").fill("none")
        page.get_by_test_id("save-draft").click()
        expect(page.get_by_test_id("problem")).to_contain_text("need a correction")
        expect(page.get_by_test_id("minimum_group")).to_be_focused()
        page.get_by_test_id("minimum_group").fill("7")
        page.get_by_test_id("save-draft").click()
        page.wait_for_url(re.compile(r"/modeler/studies/[0-9a-f]{32}/$"))
        said = page.get_by_test_id("policy-sentences").first
        expect(said).to_contain_text("fewer than 7 people or 2 % of those")
        assert [fault for fault in found.faults if "422" not in fault] == []
