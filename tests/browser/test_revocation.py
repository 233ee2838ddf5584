"""A regulator takes a certificate back, in her browser, by keyboard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import Browser, expect

from tools.showroom.visit import Showroom, Visit, visit


def test_a_regulator_whose_clock_is_ahead_signs_a_revocation_and_everybody_reads_why(
    chromium: Browser, room: Showroom, rae: Visit
) -> None:
    page = rae.page
    page.clock.install(time=datetime.now(UTC) + timedelta(minutes=12))
    rae.open(room.page("regulator-study-to-revoke").path)
    certificate = page.get_by_test_id("model-certificate").get_attribute("href")
    assert certificate is not None
    page.get_by_test_id("revoke").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("revoke-dialog")).to_be_visible()
    page.get_by_test_id("revoke-reason").focus()
    page.keyboard.type("The model was\nchanged.")
    page.get_by_test_id("revoke-confirm").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("revoke")).to_have_count(0)
    assert rae.faults == []
    with visit(chromium, room, "anonymous") as found:
        found.open(certificate)
        notice = found.page.get_by_test_id("certificate-revoked")
        expect(notice).to_contain_text("The model was changed.")
        status = found.page.get_by_test_id("certificate-status")
        expect(status).to_have_attribute("data-state", "REVOKED")
        assert found.faults == []
