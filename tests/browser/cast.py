"""What members and people do on their pages, step by step."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, Request, expect

from tests.running_stack import RunningStack
from tools.showroom.inspect import (
    misfits,
)


def log_in(page: Page, stack: RunningStack, role: str) -> None:
    """Sign in through the form."""
    email, password = stack.log_in_of(role)
    page.goto("/accounts/login/")
    page.locator('input[name="login"]').fill(email)
    page.locator('input[name="password"]').fill(password)
    page.locator('input[name="password"]').press("Enter")
    page.wait_for_url(lambda address: "/accounts/login/" not in address)


def import_key(page: Page, stack: RunningStack, role: str) -> None:
    """Take the organisation's approval key into this browser."""
    page.goto(f"/{role}/key/")
    page.get_by_test_id("key-file").set_input_files(stack.approver_key(role))
    expect(page.get_by_test_id("key-standing")).to_have_attribute("data-state", "VALID")


def confirm_signing(page: Page) -> None:
    """Sign what the open dialog shows."""
    dialog = page.get_by_test_id("sign-dialog")
    expect(dialog).to_be_visible()
    page.get_by_test_id("sign-confirm").click()
    expect(dialog).to_be_hidden()


def sign_proposal(page: Page, kind: str) -> None:
    """Wait for a proposal to appear on the open page, read it and sign it."""
    page.get_by_test_id(f"sign-{kind}").click()
    confirm_signing(page)
    expect(page.get_by_test_id(f"sign-{kind}")).to_be_hidden()


def posts_of(page: Page) -> list[Request]:
    """Collect everything a page sends from now on."""
    sent: list[Request] = []

    def note(request: Request) -> None:
        if request.method == "POST":
            sent.append(request)

    page.on("request", note)
    return sent


def expect_state(page: Page, state: str) -> None:
    """Wait until the study's page shows a state by itself."""
    expect(page.get_by_test_id("study-state")).to_have_attribute("data-state", state)


def mark_unreloaded(page: Page) -> None:
    """Leave a mark that only a reload removes."""
    page.evaluate("window.stillTheSamePage = true")


def is_unreloaded(page: Page) -> bool:
    """Return whether the page was not loaded again since it was marked."""
    return bool(page.evaluate("window.stillTheSamePage === true"))


def expect_fits(*pages: Page) -> None:
    """Look whether pages fit their screens as they stand: no sideways scroll, no small target."""
    for page in pages:
        assert misfits(page) == [], page.url


def answer(page: Page, *, age: str, months: str, income: str, repaid: bool) -> None:
    """Fill in the form of the small study and send it."""
    page.get_by_test_id(f"answer-age-{age}").check()
    page.get_by_test_id("feature-months").fill(months)
    page.get_by_test_id("feature-income").fill(income)
    page.get_by_test_id("label-favourable" if repaid else "label-unfavourable").check()
    page.get_by_test_id("send-answer").click()


def expect_both_receipts(page: Page, version: int) -> None:
    """Wait until the page shows that both parties signed for this version of the answer."""
    expect(page.get_by_test_id("receipt")).to_have_attribute("data-standing", "held")
    expect(page.get_by_test_id("receipt-sequence")).to_have_text(str(version))


def save_links(page: Page, count: int, folder: Path) -> list[str]:
    """Make invitations on a study's page and return the links of the file it saves."""
    page.get_by_test_id("invitation-count").fill(str(count))
    with page.expect_download() as download:
        page.get_by_test_id("make-invitations").click()
    path = folder / "links.csv"
    download.value.save_as(path)
    page.get_by_test_id("drop-links").click()
    header, *rows = path.read_text(encoding="utf-8").split()
    assert header == "record_id,link"
    return [row.split(",")[1] for row in rows]


AUDIENCES = ("anonymous", "uma", "umar", "mo", "mia", "rae")
