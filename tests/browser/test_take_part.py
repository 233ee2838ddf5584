"""A person's page: share, replace, see both receipts; and what it says where it can't work."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.cast import answer, expect_both_receipts, posts_of
from tests.browser.conftest import NewPage
from tests.browser.small_study import OpenStudy

NO_SUBTLE = "Object.defineProperty(crypto, 'subtle', { value: undefined })"
NO_X25519 = """
const generate = SubtleCrypto.prototype.generateKey;
SubtleCrypto.prototype.generateKey = function (algorithm, ...rest) {
  const refused = new DOMException("not here", "NotSupportedError");
  return algorithm.name === "X25519" ? Promise.reject(refused)
    : generate.call(this, algorithm, ...rest);
};
"""


def test_person_shares_replaces_and_keeps_her_receipt(
    new_page: NewPage, open_study: OpenStudy
) -> None:
    page = new_page()
    sent = posts_of(page)
    page.goto(open_study.links[0])
    expect(page.get_by_test_id("who-learns-what")).to_be_visible()
    answer(page, age="up_to_25", months="24", income="31.5", repaid=True)
    expect_both_receipts(page, 1)
    page.get_by_test_id("replace-answer").click()
    answer(page, age="prefer_not_to_say", months="24", income="31.5", repaid=True)
    expect_both_receipts(page, 2)
    page.reload()
    expect_both_receipts(page, 2)
    assert len(sent) == 2
    bodies: list[Any] = [request.post_data_json for request in sent]
    first, second = bodies
    assert first["owner_key"] == second["owner_key"]
    assert first["envelope_modeler"] != second["envelope_modeler"]
    sizes = [len(body["envelope_modeler"] + body["envelope_regulator"]) for body in bodies]
    assert sizes[0] == sizes[1]
    secret = open_study.links[0].split(".")[-1]
    assert not any(secret in (request.post_data or "") + request.url for request in sent)


def test_the_later_of_two_browsers_is_told_that_another_answer_stands(
    new_page: NewPage, open_study: OpenStudy
) -> None:
    first, later = new_page(), new_page(expects="status of 409")
    for page in (first, later):
        page.goto(open_study.links[2])
        expect(page.get_by_test_id("answer-form")).to_be_visible()
    answer(first, age="up_to_25", months="24", income="31.5", repaid=True)
    expect_both_receipts(first, 1)
    answer(later, age="over_25", months="12", income="31.5", repaid=True)
    expect(later.get_by_test_id("answered-elsewhere")).to_be_visible()
    expect(later.get_by_test_id("receipt")).to_be_hidden()
    later.reload()
    expect(later.get_by_test_id("answered-elsewhere")).to_be_visible()
    first.get_by_test_id("replace-answer").click()
    answer(first, age="over_25", months="24", income="31.5", repaid=True)
    expect_both_receipts(first, 2)


def test_answer_outside_the_range_is_named_and_nothing_is_sent(
    new_page: NewPage, open_study: OpenStudy
) -> None:
    page = new_page()
    sent = posts_of(page)
    page.goto(open_study.links[1])
    answer(page, age="over_25", months="121", income="abc", repaid=False)
    for name in ("months", "income"):
        expect(page.locator(f"#error-feature-{name}")).to_be_visible()
    answer(page, age="over_25", months="24,5", income="1,200", repaid=False)
    expect(page.get_by_test_id("read-months")).to_have_text("Read as 24.5")
    expect(page.locator("#error-feature-months")).to_be_hidden()
    refusal = "This can be read in two ways. Please write 1200 or 1.2."
    expect(page.locator("#error-feature-income")).to_have_text(refusal)
    expect(page.get_by_test_id("read-income")).to_be_empty()
    assert sent == []


def test_link_without_its_secret_part_asks_for_the_whole_link(
    new_page: NewPage, open_study: OpenStudy
) -> None:
    page = new_page()
    page.goto(open_study.links[1].split("#")[0])
    expect(page.get_by_test_id("need-invitation")).to_be_visible()
    expect(page.get_by_test_id("answer-form")).to_be_hidden()
    page.locator("#invitation-link").fill(open_study.links[1])
    page.locator("#invitation-open").click()
    expect(page.get_by_test_id("answer-form")).to_be_visible()


def test_without_javascript_a_plain_message_stands_there(
    new_page: NewPage, open_study: OpenStudy
) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(open_study.links[2])
    expect(page.get_by_test_id("no-javascript")).to_be_visible()
    expect(page.get_by_test_id("answer-form")).to_be_hidden()


@pytest.mark.parametrize(
    ("script", "code"),
    [(NO_SUBTLE, "NO_WEBCRYPTO"), (NO_X25519, "NO_X25519")],
    ids=["no WebCrypto", "no X25519"],
)
def test_without_cryptography_a_plain_message_stands_there_and_nothing_is_sent(
    new_page: NewPage, open_study: OpenStudy, script: str, code: str
) -> None:
    page = new_page()
    page.add_init_script(script)
    sent = posts_of(page)
    page.goto(open_study.links[2])
    notice = page.get_by_test_id("capability-problem")
    expect(notice).to_be_visible()
    expect(notice).to_have_attribute("data-code", code)
    expect(notice).to_contain_text(re.compile("nothing was sent", re.I))
    expect(page.get_by_test_id("answer-form")).to_be_hidden()
    assert sent == []
