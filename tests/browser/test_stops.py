"""Two studies of decisions about stops, from a table to a published report and a trained model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Page, expect

from demo.party_command import party_desk
from demo.stack import read_stack
from mpc_engine.client.http import Session
from mpc_engine.client.person import accept_invitation
from mpc_engine.roles import Role
from tests.browser import stops
from tests.browser.cast import (
    confirm_signing,
    expect_state,
    import_key,
    log_in,
    save_links,
    sign_proposal,
)
from tests.browser.conftest import NewPage
from tests.browser.stops import HALVES, INTERCEPT_HALVES, Stop
from tests.browser.study_form import open_form, submit
from tests.running_stack import RunningStack

N_CERTIFIED, N_TRAINED = 400, 260
N_THREADS = 4
LONG_MS = 300_000


def draft(page: Page, title: str, table: Path, count: int, asked: tuple[str, ...]) -> None:
    """Fill in the form of a new study from the table of stops."""
    open_form(page, title)
    page.get_by_test_id("schema-file").set_input_files(table)
    columns = page.get_by_test_id("schema-columns").locator("tr")
    expect(columns).to_have_count(len(stops.HEADER))
    for name in stops.PERSONAL:
        kind = "ask" if name in asked else "leave"
        page.locator(f'[data-column="{name}"] select').select_option(kind)
    page.locator('[data-column="Precinct"] select').select_option("leave")
    page.locator('[data-column="Searched"] select').select_option("label")
    page.get_by_test_id("schema-favourable").select_option("N")
    page.get_by_test_id("schema-apply").click()
    expect(page.get_by_test_id("table-status")).to_contain_text(f"all {count} rows fit")
    expect(page.locator('[data-row="attribute"]')).to_have_count(len(asked))


def open_to_people(mo: Page, rae: Page) -> str:
    """Submit the draft, sign it on both sides; return the study's id."""
    study = submit(mo)
    sign_proposal(mo, "configuration")
    rae.goto(f"/regulator/studies/{study}/")
    sign_proposal(rae, "configuration")
    for page in (mo, rae):
        expect_state(page, "OPEN")
    return study


def everybody_answers(
    stack: RunningStack, people: list[Stop], links: list[str], asked: tuple[str, ...]
) -> None:
    """Share each person's own race, or race and sex, as her browser does."""

    def share(place: tuple[Stop, str]) -> None:
        stop, link = place
        cells = stop.cells()
        with Session(stack.base_url) as session:
            person = accept_invitation(session, link)
            attributes = person.study.configuration.attributes
            titles = [[one.title for one in attribute.categories] for attribute in attributes]
            answers = [each.index(cells[name]) for each, name in zip(titles, asked, strict=True)]
            sent = person.share(session, answers)
            person.wait_for_receipts(session, sent, timeout_s=LONG_MS / 1000)

    share((people[0], links[0]))
    with ThreadPoolExecutor(N_THREADS) as pool:
        list(pool.map(share, zip(people[1:], links[1:], strict=True)))


def upload(page: Page, path: Path, count: int) -> None:
    """Send the rows of a table to the party of who is signed in."""
    page.get_by_test_id("data-file").set_input_files(path)
    page.get_by_test_id("send-data").click()
    rows = page.get_by_test_id("data-rows")
    expect(rows).to_have_attribute("data-count", str(count), timeout=LONG_MS)


def commit_to_table(page: Page, stack: RunningStack, people: Sequence[Stop], folder: Path) -> None:
    """Let the modeler's operator commit to the table; the form takes the draft it writes."""
    with page.expect_download() as saved:
        page.get_by_test_id("download-draft").click()
    draft_text = Path(saved.value.path()).read_text("utf-8")
    with party_desk(read_stack(stack.description_path), Role.MODELER) as desk:
        cases = [f"stop-{number}" for number in range(len(people))]
        path = desk.folder / "committed.json"
        files = (
            ("--draft", desk.write("draft.json", draft_text)),
            ("--csv", desk.write("table.csv", stops.csv_text(people, cases, "case_id"))),
            ("--out", path),
        )
        desk.run("commit-data", *(word for pair in files for word in pair))
        committed = folder / "committed.json"
        committed.write_text(path.read_text("utf-8"), encoding="utf-8")
    page.get_by_test_id("draft-file").set_input_files(committed)
    expect(page.get_by_test_id("draft-data_commitment")).not_to_have_value("")


def close(mo: Page, rae: Page, count: int) -> None:
    """End the collection of answers on both sides."""
    expect(mo.get_by_test_id("n-records")).to_have_text(str(count), timeout=LONG_MS)
    mo.get_by_test_id("propose-closing").click()
    confirm_signing(mo)
    sign_proposal(rae, "closing")
    for page in (mo, rae):
        expect_state(page, "CLOSED")


def hand_in(page: Page, folder: Path) -> None:
    """Hand in the model whose coefficients are known here."""
    page.get_by_test_id("hand-in-model").click()
    page.wait_for_url("**/models/new/")
    digest = json.loads(page.locator("#page-data").text_content() or "{}")["configuration_digest"]
    model = {
        "format": "bj1 model",
        "configuration": digest,
        "intercept": str(INTERCEPT_HALVES / 2),
        "coefficients": {name: str(halves / 2) for name, halves in HALVES.items()},
    }
    (folder / "model.json").write_text(json.dumps(model), encoding="utf-8")
    page.get_by_test_id("model-name").fill("Short stops go")
    page.get_by_test_id("model-file").set_input_files(folder / "model.json")
    page.get_by_test_id("send-model").click()
    page.wait_for_url("**/modeler/studies/*/")


def told_by_report(page: Page) -> dict[str, tuple[int, int]]:
    """Return how many of how many were selected in each group, as the open report says."""
    rows = page.get_by_test_id("report-table").locator("tbody tr")
    told = {}
    for row in rows.all():
        name, total, selected = (row.locator("th, td").nth(k).inner_text() for k in range(3))
        told[name] = (int(selected), int(total))
    return told


def test_the_new_york_preset_goes_from_a_table_to_a_published_report(
    new_page: NewPage, stack: RunningStack, tmp_path: Path
) -> None:
    asked = stops.PERSONAL
    people = stops.draw_stops(N_CERTIFIED, seed=14)
    table = tmp_path / "stops.csv"
    table.write_text(stops.csv_text(people), encoding="utf-8")
    mo, rae = new_page(accept_downloads=True), new_page()
    for page, role in ((mo, "modeler"), (rae, "regulator")):
        log_in(page, stack, role)
        import_key(page, stack, role)

    draft(mo, "Stops, by race and sex", table, N_CERTIFIED, asked)
    mo.get_by_test_id("policy-start").select_option("nyc_ll144")
    study = open_to_people(mo, rae)
    links = save_links(mo, N_CERTIFIED, tmp_path)
    rows = [line.split(",")[0] for line in (tmp_path / "links.csv").read_text().split()[1:]]
    everybody_answers(stack, people, links, asked)
    table.write_text(stops.csv_text(people, rows), encoding="utf-8")
    upload(rae, table, N_CERTIFIED)
    close(mo, rae, N_CERTIFIED)

    hand_in(mo, tmp_path)
    mo.get_by_test_id("certify").click()
    confirm_signing(mo)
    sign_proposal(rae, "certification")
    counted = stops.selected_by_group(people)
    verdict = "PASS" if four_fifths_hold(counted) else "FAIL"
    for page in (mo, rae):
        expect(page.get_by_test_id("model-verdict")).to_have_attribute(
            "data-verdict", verdict, timeout=LONG_MS
        )
    rae.goto(f"/regulator/studies/{study}/")
    rae.get_by_test_id("model-reports").get_by_role("link", name="Local Law 144").click()
    assert told_by_report(rae) == counted


def four_fifths_hold(counted: dict[str, tuple[int, int]]) -> bool:
    """Return whether each group is selected at 4/5 of the best rate among its like."""
    kinds: dict[str, list[tuple[int, int]]] = {"crossed": [], "sex": [], "race": []}
    for name, counts in counted.items():
        kind = "crossed" if " · " in name else "sex" if name in stops.SEXES else "race"
        kinds[kind].append(counts)
    return all(
        5 * chosen * other_total >= 4 * other_chosen * total
        for alike in kinds.values()
        for chosen, total in alike
        for other_chosen, other_total in alike
    )


def test_a_model_is_trained_on_an_uploaded_table_of_stops(
    new_page: NewPage, stack: RunningStack, tmp_path: Path
) -> None:
    asked = ("Race",)
    people = stops.draw_stops(N_TRAINED, seed=41)
    table = tmp_path / "stops.csv"
    table.write_text(stops.csv_text(people), encoding="utf-8")
    mo, rae = new_page(accept_downloads=True), new_page()
    for page, role in ((mo, "modeler"), (rae, "regulator")):
        log_in(page, stack, role)
        import_key(page, stack, role)

    draft(mo, "Stops, to train on", table, N_TRAINED, asked)
    mo.get_by_test_id("holder-modeler").check()
    commit_to_table(mo, stack, people, tmp_path)
    open_to_people(mo, rae)
    everybody_answers(stack, people, save_links(mo, N_TRAINED, tmp_path), asked)
    close(mo, rae, N_TRAINED)

    mo.get_by_test_id("propose-training").click()
    confirm_signing(mo)
    sign_proposal(rae, "training")
    for page in (mo, rae):
        job = page.locator('[data-testid="job"][data-kind="training"]')
        expect(job).to_have_attribute("data-state", "DONE", timeout=LONG_MS)
    with mo.expect_download() as saved:
        mo.get_by_test_id("open-model").click()
    model = json.loads(Path(saved.value.path()).read_text("utf-8"))
    assert set(HALVES) <= set(model["coefficients"])
    expect(mo.get_by_test_id("model-opened")).to_contain_text(f"on your {N_TRAINED} rows")
