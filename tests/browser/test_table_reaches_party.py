"""A table goes from the regulator's browser to her party, which checks and keeps its rows."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from mpc_engine.client.member import Member
from tests.browser.cast import import_key, log_in
from tests.browser.conftest import NewPage
from tests.browser.small_study import open_small_study
from tests.running_stack import RunningStack
from tests.web import tables

N_PEOPLE = 300


def test_the_party_has_the_rows_of_a_table_and_refuses_strangers(
    new_page: NewPage, stack: RunningStack, members: dict[str, Member], tmp_path: Path
) -> None:
    opened = open_small_study(
        stack.base_url,
        members["modeler"],
        members["regulator"],
        N_PEOPLE,
        title="Incomes, by file",
        data_source="file",
        features=tables.features(),
        label=tables.LABEL,
    )
    records = [invitation.record_id.hex() for invitation in opened.invitations]
    page = new_page()
    log_in(page, stack, "regulator")
    import_key(page, stack, "regulator")
    page.goto(f"/regulator/studies/{opened.hex}/")
    path = tmp_path / "strangers.csv"
    path.write_text(tables.csv_text(tables.rows([*records, "f" * 32])), encoding="utf-8")
    page.get_by_test_id("data-file").set_input_files(path)
    page.get_by_test_id("send-data").click()
    expect(page.locator("main")).to_contain_text("nobody was invited under record")
    path = tmp_path / "table.csv"
    path.write_text(tables.csv_text(tables.rows(records)), encoding="utf-8")
    page.get_by_test_id("data-file").set_input_files(path)
    page.get_by_test_id("send-data").click()
    expect(page.get_by_test_id("data-rows")).to_have_attribute("data-count", str(N_PEOPLE))
