"""The report: one page that loads nothing, pictures, and everything as JSON."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mpc_engine.control.files.lab_report import read_lab_report
from mpc_engine.lab.catalogue import EXPERIMENTS
from mpc_engine.lab.claims import judged
from mpc_engine.lab.report import failed_runs, write_pictures, write_report
from mpc_engine.lab.results import Results
from tests.engine.lab.specimens import SCOPE, all_rows, all_tasks

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    made = {"format": "blindjustice-lab/2", "split_seed": 42, "versions": {"numpy": "2"}}
    write_report(all_rows(), list(EXPERIMENTS.values()), SCOPE, made, out, out)
    return out


@pytest.fixture(scope="module")
def content(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report.json").read_text("utf-8"))
    return found


class _Loads(HTMLParser):
    """Collects what a page would load, and the names of its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.ids += [value for key, value in attrs if key == "id" and value]
        for key in ("src", "srcset", "data", "action", "poster"):
            if named.get(key):
                self.loads.append(f"{tag} {key}={named[key]}")
        if tag in {"link", "base", "iframe", "object"}:
            self.loads.append(tag)
        if tag == "a" and not (named.get("href") or "").startswith("#"):
            self.loads.append(f"a {named.get('href')}")


def test_the_page_loads_nothing(folder: Path) -> None:
    text = (folder / "report.html").read_text("utf-8")
    page = _Loads()
    page.feed(text)
    assert page.loads == []
    assert len(page.ids) == len(set(page.ids))
    assert set(EXPERIMENTS) <= set(page.ids)
    style = re.findall(r"<style>(.*?)</style>", text, re.S)
    assert not any("url(" in each or "@import" in each for each in style)
    assert "Plotly.newPlot" in text


def test_every_figure_says_what_it_shows_and_reproduces(content: dict[str, Any]) -> None:
    assert [figure["name"] for figure in content["figures"]] == list(EXPERIMENTS)
    for figure in content["figures"]:
        assert figure["sentence"].endswith(".")
        assert re.search(r"[Pp]aper", figure["reproduces"]), figure["name"]
        assert figure["panels"] or figure["table"]


def test_the_json_has_every_point_with_its_origin(content: dict[str, Any]) -> None:
    assert len(content["points"]) == len(all_tasks())
    assert {"commit", "split_seed", "versions", "cores", "quick"} <= set(content["made"])
    assert all({"failure", "seconds"} <= set(point) for point in content["points"])
    claims = judged(Results(all_rows()), SCOPE)
    assert content["claims"] == [claim.fields() for claim in claims]


def test_a_site_reads_what_was_written(folder: Path, content: dict[str, Any]) -> None:
    report = read_lab_report((folder / "report.json").read_bytes())
    assert [figure.name for figure in report.figures] == list(EXPERIMENTS)
    assert len(report.claims) == len(content["claims"])
    assert dict(report.made)["versions"] == "numpy 2"


def test_what_is_absent_is_stated(content: dict[str, Any], folder: Path) -> None:
    (sentence,) = content["absent"]
    assert "SQF" in sentence
    assert "--data" in sentence
    assert "SQF was left out" in (folder / "report.html").read_text("utf-8")


def test_failed_runs_are_gaps_that_are_counted_and_explained(content: dict[str, Any]) -> None:
    (found,) = content["failures"]
    assert found["kind"] == "outside"
    assert found["runs"] == sum(row["failure"] is not None for row in all_rows().values()) == 12
    assert "logarithm" in found["explanation"]
    assert "German barrier float 2" in found["where"]
    accuracy = next(figure for figure in content["figures"] if figure["name"] == "accuracy")
    lines = {line["name"]: line for line in accuracy["panels"][0]["series"]}
    assert lines["log barrier, clamp"]["x"] == list(SCOPE.constraints)
    assert lines["log barrier, clamp"]["y"][0] is None
    assert None not in lines["log barrier, clamp"]["y"][1:]
    assert failed_runs(Results({})) == []


def test_figures_with_axes_are_pictures_of_both_kinds(tmp_path: Path) -> None:
    drawn = [EXPERIMENTS[name] for name in ("blocked", "attributes", "times")]
    written = write_pictures(all_rows(), drawn, SCOPE, tmp_path)
    names = ["blocked.svg", "blocked.png", "attributes.svg", "attributes.png"]  # times: no axes
    assert [path.name for path in written] == names
    for svg, png in (written[:2], written[2:]):
        assert ElementTree.parse(svg).getroot().tag.endswith("svg")
        assert png.read_bytes().startswith(b"\x89PNG")


def test_numbers_that_are_no_json_do_not_come_up(folder: Path) -> None:
    text = (folder / "report.json").read_text("utf-8")
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in the report"))


def test_words_of_rows_are_escaped(tmp_path: Path) -> None:
    made = {"format": "<script>alert(1)</script>"}
    write_report(all_rows(), list(EXPERIMENTS.values())[:1], SCOPE, made, tmp_path, tmp_path)
    assert "<script>alert(1)" not in (tmp_path / "report.html").read_text("utf-8")
