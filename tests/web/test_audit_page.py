"""The audit log as its readers see it: narrowed, exported, without formulas and scripts."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.db import transaction

from blindjustice_web.audit import chain, export
from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.lib.csv_cells import csv_text
from blindjustice_web.studies.models import Study
from tests.web.audit_stories import PAGES, kinds_of, read_entries
from tests.web.stories import World

pytestmark = pytest.mark.database


def test_the_page_is_narrowed_by_day_actor_kind_and_study(world: World) -> None:
    study = world.submitted()
    day = AuditEntry.objects.latest("pk").at.date().isoformat()
    for query, found in (
        (f"?study={study.id}", {study.id}),
        (f"?since={day}&until={day}&study={study.id}&actor=modeler", {study.id}),
        (f"?study={study.id}&kind={EntryKind.CERTIFICATE_ISSUED}", set()),
        (f"?study={'0' * 32}", set()),
        ("?until=2020-01-01", set()),
        ("?since=2999-01-01", set()),
        ("?until=9999-12-31&kind=STUDY_DRAFTED", {study.id}),
    ):
        page = world.clients["rae"].get(PAGES["rae"] + query)
        assert {row.entry.study_id for row in page.context["rows"]} == found, query
        assert {entry["study_id"] for entry in read_entries(world, "rae", query)} == found, query


@pytest.mark.parametrize(
    "query",
    [
        "?since=yesterday",
        "?since=2026-02-02&until=2026-02-01",
        "?actor=nobody",
        "?kind=%00",
        "?study=1",
        f"?study={'a' * 33}",
    ],
)
def test_a_filter_that_makes_no_sense_is_named(world: World, query: str) -> None:
    world.drafted()
    page = world.clients["rae"].get(PAGES["rae"] + query)
    assert page.status_code == 200
    assert "errorlist" in page.content.decode()
    assert not page.context["rows"]
    answer = world.get("rae", f"/audit{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "AUDIT_FILTER_INVALID")


def _export(world: World, who: str, **fields: str) -> Any:
    return world.clients[who].post(f"{PAGES[who]}export/", fields)


def test_an_export_holds_what_its_reader_may_read_and_is_written_down(world: World) -> None:
    study = world.submitted()
    chain.link_entries()
    answer = _export(world, "rae", format="csv", study=study.id)
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["kind"] for row in rows] == kinds_of(study_id=study.id)
    assert rows[0]["chain_digest"] == AuditEntry.objects.get(pk=rows[0]["entry"]).link.digest
    lines = _export(world, "rae", format="jsonl", study=study.id).content.decode().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == [row["kind"] for row in rows]
    exported = AuditEntry.objects.filter(kind=EntryKind.LOG_EXPORTED).order_by("pk")
    assert [entry.detail for entry in exported] == [f"csv, {len(rows)}", f"jsonl, {len(rows)}"]
    assert EntryKind.LOG_EXPORTED not in {entry["kind"] for entry in read_entries(world, "mo")}
    assert "study_id" in _export(world, "mia", format="csv").content.decode()
    assert study.id not in _export(world, "mia", format="csv").content.decode()


def test_an_export_is_refused_where_it_makes_no_sense(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.drafted()
    for fields in ({}, {"format": "xlsx"}, {"format": "csv", "since": "soon"}):
        assert _export(world, "rae", **fields).status_code == 422
    assert (
        world.clients["uma"].post("/regulator/audit/export/", {"format": "csv"}).status_code == 404
    )
    assert (
        world.clients["mo"].post("/regulator/audit/export/", {"format": "csv"}).status_code == 404
    )
    monkeypatch.setattr(export, "MOST_ROWS", 1)
    assert _export(world, "rae", format="csv").status_code == 409
    assert EntryKind.LOG_EXPORTED not in kinds_of()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_cell_is_never_a_formula(start: str) -> None:
    text = csv_text(("a",), [(f"{start}HYPERLINK(1)",), ("plain",)])
    _head, first, second = list(csv.reader(io.StringIO(text)))
    assert first == [f"'{start}HYPERLINK(1)"]
    assert second == ["plain"]


def test_a_reason_that_is_a_formula_leaves_as_text(world: World) -> None:
    study = world.submitted()
    with transaction.atomic():
        record(EntryKind.STUDY_CHANGED, study=study, detail="=1+1")
    rows = csv.DictReader(io.StringIO(_export(world, "rae", format="csv").content.decode()))
    assert "'=1+1" in {row["detail"] for row in rows}


def test_a_script_in_a_reason_is_shown_as_text(world: World) -> None:
    study: Study = world.submitted()
    path = f"/proposals/{study.proposals.get().id}/decline"
    world.post("rae", path, {"reason": "<script>alert(1)</script>"})
    for who in ("mo", "rae"):
        page = world.page(who, PAGES[who])
        assert "&lt;script&gt;alert(1)" in page
        assert "<script>alert" not in page


def test_a_member_who_challenges_a_decision_is_a_person_in_the_log(world: World) -> None:
    certificate = world.certified()
    case = world.challenge("mo", certificate)
    entry = AuditEntry.objects.get(kind=EntryKind.CHALLENGE_OPENED, subject=case)
    assert (entry.actor, entry.organisation, entry.member) == ("person", None, None)
