"""The lab's report: who publishes it, what is refused, and what its pages show."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from blindjustice_web.audit.models import AuditEntry
from blindjustice_web.lab.models import LabFigure, LabReport
from mpc_engine.control.files import lab_report as file_format
from tests.builders.lab_report import lab_report, write_lab_report
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db]
HOSTILE = "<img src=x onerror=alert(1)></script>"


def _publish(folder: Path, **changed: Any) -> str:
    out = StringIO()
    call_command("publish_lab_report", write_lab_report(folder, **changed), stdout=out)
    return out.getvalue()


def _refused(folder: Path) -> str:
    with pytest.raises(CommandError) as caught:
        call_command("publish_lab_report", folder)
    return str(caught.value)


def _page(path: str = "/lab/") -> str:
    answer = Client().get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_without_a_report_the_page_says_so() -> None:
    assert 'data-testid="lab-empty"' in _page()
    assert Client().get("/lab/accuracy/").status_code == 404


def test_every_page_leads_to_the_lab() -> None:
    assert 'href="/lab/"' in _page("/")


def test_a_published_report_is_shown(tmp_path: Path) -> None:
    assert "2 figures are shown at /lab/" in _publish(tmp_path)
    page = _page()
    raw = lab_report()
    assert "lab-empty" not in page
    assert raw["absent"][0] not in page  # the lab puts it into the intro
    for text in (*raw["intro"], "0123abcd", "numpy 2.4.6, scipy 1.17.1", "German barrier float 1"):
        assert text in page
    for claim, label in zip(
        raw["claims"],
        ("Holds with our settings only", "Holds", "Does not hold"),
        strict=True,
    ):
        row = re.search(rf"<tr><th scope=\"row\">{claim['text']}</th>(.*?)</tr>", page, re.S)
        assert row is not None
        assert f"<td>{label}</td>" in row[1]
        assert f'href="/lab/{claim["figure"]}/"' in row[1]
    for figure in raw["figures"]:
        assert figure["sentence"] in page
        assert figure["reproduces"] in page


def test_a_figure_says_what_it_shows_draws_it_and_has_its_numbers(tmp_path: Path) -> None:
    _publish(tmp_path)
    answer = Client().get("/lab/accuracy/")
    page = answer.content.decode()
    figure = lab_report()["figures"][0]
    assert figure["sentence"] in page
    assert figure["reproduces"] in page
    assert figure["remarks"][0] in page
    first, second = answer.context["drawn"]
    assert first.rows == [
        ["Lagrange, clamp", "0.0001", "62.5"],
        ["Lagrange, clamp", "0.01", "70.25"],
        ["Lagrange, clamp", "1", "75"],
        ["log barrier, clamp", "0.0001", "–"],
        ["log barrier, clamp", "0.01", "69.5"],
        ["log barrier, clamp", "1", "74.5"],
        ["unconstrained", "0.0001", "75.5"],
        ["unconstrained", "1", "75.5"],
    ]
    assert first.headings == ["Line", "c", "right on test rows, %"]
    assert "Values go from 62.5 to 75.5. 1 gap." in first.summary
    lines = first.drawing["data"]
    assert [line["y"] for line in lines[:2]] == [[62.5, 70.25, 75.0], [None, 69.5, 74.5]]
    assert [line["mode"] for line in lines] == ["lines+markers", "lines+markers", "lines"]
    assert len({line["marker"]["symbol"] for line in lines}) == 3
    assert first.drawing["layout"]["xaxis"]["type"] == "log"
    assert second.drawing["layout"]["xaxis"].get("type") != "log"
    assert second.drawing["data"][0]["x"] == [0.0, 81.5]


def test_a_logarithmic_axis_has_no_place_for_0(tmp_path: Path) -> None:
    figures = json.loads(json.dumps(lab_report()["figures"]))
    figures[0]["panels"][0]["series"][0]["x"][0] = 0
    _publish(tmp_path, figures=figures)
    drawn = Client().get("/lab/accuracy/").context["drawn"][0]
    assert drawn.drawing["data"][0]["x"] == [None, 0.01, 1.0]
    assert drawn.rows[0] == ["Lagrange, clamp", "0", "62.5"]


def test_a_figure_of_numbers_alone_is_a_table(tmp_path: Path) -> None:
    _publish(tmp_path)
    page = _page("/lab/sizes/")
    assert "plotly" not in page
    assert '<th scope="row">German</th><td class="num">412</td><td class="num">0.79369</td>' in page
    assert '<td class="num">–</td>' in page


def test_words_of_a_report_are_never_markup(tmp_path: Path) -> None:
    figures = json.loads(json.dumps(lab_report()["figures"]).replace("Lagrange, clamp", HOSTILE))
    figures[0]["panels"][0] |= {"title": HOSTILE, "x_label": HOSTILE, "y_label": HOSTILE}
    figures[0] |= {"title": HOSTILE, "sentence": HOSTILE, "reproduces": HOSTILE}
    figures[0]["remarks"] = [HOSTILE]
    figures[1]["table"] = {"columns": [HOSTILE], "rows": [[HOSTILE]]}
    claims = lab_report()["claims"]
    claims[0] |= {"text": HOSTILE, "evidence": HOSTILE}
    made = {HOSTILE: HOSTILE}
    _publish(tmp_path, figures=figures, title=HOSTILE, intro=[HOSTILE], claims=claims, made=made)
    for path in ("/lab/", "/lab/accuracy/", "/lab/sizes/"):
        page = _page(path)
        assert "<img" not in page
        assert "onerror" in page
    drawn = Client().get("/lab/accuracy/").context["drawn"][0].drawing
    texts = [drawn["data"][0]["name"], *drawn["data"][0]["text"]]
    texts += [drawn["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis")]
    assert not [text for text in texts if "<img" in text]


def test_a_new_report_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    _publish(tmp_path, title="The first")
    _publish(tmp_path, title="The second", figures=lab_report()["figures"][1:])
    page = _page()
    assert "The second" in page
    assert "The first" not in page
    assert Client().get("/lab/accuracy/").status_code == 404
    assert (LabReport.objects.count(), LabFigure.objects.count()) == (1, 1)


def test_what_is_refused_leaves_the_report_that_is_shown(tmp_path: Path) -> None:
    _publish(tmp_path / "good", title="The first")
    wrong = write_lab_report(tmp_path / "wrong", format="blindjustice-lab/1")
    assert "LAB_REPORT_INVALID: It is no report of the format blindjustice-lab/2" in _refused(wrong)
    (wrong / "report.json").write_bytes(b"\x00garbage")
    assert "LAB_REPORT_INVALID" in _refused(wrong)
    assert "can't be read" in _refused(tmp_path / "nowhere")
    assert "The first" in _page()


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_lab_report(tmp_path)
    size = (folder / "report.json").stat().st_size
    monkeypatch.setattr(file_format, "MAX_REPORT_BYTES", size - 1)
    assert "MiB" in _refused(folder)
    assert not LabReport.objects.exists()


def test_a_report_can_be_withdrawn(tmp_path: Path) -> None:
    _publish(tmp_path)
    for said in ("The report is withdrawn.", "There is no report to withdraw."):
        out = StringIO()
        call_command("publish_lab_report", "--withdraw", stdout=out)
        assert said in out.getvalue()
    assert "lab-empty" in _page()


def test_the_audit_log_tells_every_member(tmp_path: Path, world: World) -> None:
    _publish(tmp_path)
    call_command("publish_lab_report", "--withdraw", stdout=StringIO())
    told = AuditEntry.objects.filter(kind__startswith="LAB_REPORT").order_by("pk")
    assert [(entry.kind, entry.for_all, entry.actor) for entry in told] == [
        ("LAB_REPORT_PUBLISHED", True, "site"),
        ("LAB_REPORT_WITHDRAWN", True, "site"),
    ]
    for who, portal in (("mo", "modeler"), ("mia", "modeler"), ("rae", "regulator")):
        page = world.clients[who].get(f"/{portal}/audit/").content.decode()
        assert "Report of the lab published" in page
