"""Reports from opened tables: figures, files, and who may see which."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from pypdf import PdfReader

from blindjustice_web.certificates.models import Certificate, CertificationResult
from blindjustice_web.lib.csv_cells import neutral
from blindjustice_web.lib.moments import day_text
from blindjustice_web.presentation.reports.catalogue import REPORTS
from blindjustice_web.presentation.reports.opened import opened_table
from blindjustice_web.presentation.reports.wording import origin
from tests.web.revocations import revoke
from tests.web.stories import (
    AUDIT,
    LOCAL_LAW_144,
    LOCAL_LAW_144_COUNTS,
    SEX_AND_RACE,
    THREE_AGES,
    World,
    draft,
)


def _read(world: World, who: str, path: str) -> Any:
    return world.clients[who].get(path)


def _public(result: CertificationResult, report: str, ending: str = "/") -> str:
    certificate = Certificate.objects.get(result=result)
    return f"/certificates/{certificate.id}/reports/{report}{ending}"


def _cells(world: World, path: str) -> list[list[str]]:
    answer = _read(world, "anonymous", path)
    assert answer.status_code == 200
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))


def _rows_of(cells: list[list[str]], title: str) -> dict[str, list[str]]:
    """Return the rows of the table with a title, by their heads."""
    start = cells.index([title]) + 2
    found: dict[str, list[str]] = {}
    for row in cells[start:]:
        if len(row) < 2:
            break
        found[row[0]] = row[1:]
    return found


def _sentences(cells: list[list[str]]) -> str:
    return " ".join(row[0] for row in cells if len(row) == 1)


def _law_144(world: World, **changes: Any) -> CertificationResult:
    return world.audited(
        LOCAL_LAW_144_COUNTS,
        **{
            "n_records": 4100,
            "attributes": SEX_AND_RACE,
            "policy": LOCAL_LAW_144,
            **changes,
        },
    )


def test_the_local_law_144_summary_has_its_three_tables(world: World) -> None:
    cells = _cells(world, _public(_law_144(world), "nyc-local-law-144", ".csv"))
    assert _rows_of(cells, "Sex categories: Sex") == {
        "Female": ["2000", "960", "48.0 %", "0.960"],
        "Male": ["2050", "1025", "50.0 %", "1.000"],
    }
    races = _rows_of(cells, "Race/ethnicity categories: Race or ethnicity")
    assert races["Asian"] == ["400", "170", "42.5 %", "0.823"]
    both = _rows_of(cells, "Intersectional categories: Sex × Race or ethnicity")
    assert both["Female · Asian"] == ["190", "78", "41.1 %", "0.781"]
    assert both["Male · White"] == ["1100", "578", "52.5 %", "1.000"]
    assert len(both) == 6
    assert _sentences(cells).count("Unknown (preferred not to say): 50 people") == 3


def test_the_summary_states_dates_source_and_what_is_not_computed(world: World) -> None:
    result = _law_144(world)
    page = _read(world, "anonymous", _public(result, "nyc-local-law-144")).content.decode()
    for stated in (
        "Date of this audit",
        "Source of the data",
        "entered by the people themselves",
        "Distribution date",
        "no record that the model is in use",
        "The selection rate is used; the scoring rate is not computed.",
        "could not be confirmed",
        "Compare the rule before you publish.",
    ):
        assert stated in page
    result.model.deployed_at = result.at
    result.model.save(update_fields=["deployed_at"])
    page = _read(world, "anonymous", _public(result, "nyc-local-law-144")).content.decode()
    assert "put into use on" in page


def test_excluded_categories_are_stated_with_their_numbers_and_a_justification(
    world: World,
) -> None:
    result = _law_144(world, left_out=(5,), policy={**LOCAL_LAW_144, "minimum_percent": "5"})
    cells = _cells(world, _public(result, "nyc-local-law-144", ".csv"))
    both = _rows_of(cells, "Intersectional categories: Sex × Race or ethnicity")
    assert both["Female · Asian"] == ["190", "78", "41.1 %", "excluded"]
    assert "Excluded from the impact ratios: “Female · Asian”. Justification:" in _sentences(cells)


def test_a_tiny_group_is_apart_and_never_the_reference(world: World) -> None:
    result = world.audited(
        [[1000, 500], [1000, 450], [10, 10]], left_out=(2,), attributes=THREE_AGES
    )
    rows = _rows_of(_cells(world, _public(result, "four-fifths", ".csv")), "Age group")
    assert rows["Over 60"][3:] == ["1.000", "no", "the reference", "—"]
    assert rows["25 to 60"][3:5] == ["0.900", "no"]
    assert rows["Under 25"] == ["10", "10", "100.0 %", "not compared", "—", "—", "—"]


def test_groups_that_the_policy_excludes_unnamed_are_known_by_their_share(world: World) -> None:
    policy = {**AUDIT, "small_groups": "excluded"}
    result = world.audited(
        [[1000, 500], [1000, 450], [10, 9]], attributes=THREE_AGES, policy=policy
    )
    rows = _rows_of(_cells(world, _public(result, "four-fifths", ".csv")), "Age group")
    assert rows["Under 25"][3] == "not compared"
    assert rows["Over 60"][3] == "1.000"


def test_three_categories_of_many_people_stay_three(world: World) -> None:
    result = world.audited(
        [[72_664, 36_332], [42_645, 17_058], [5_881, 2_646]], attributes=THREE_AGES
    )
    rows = _rows_of(_cells(world, _public(result, "four-fifths", ".csv")), "Age group")
    assert {name: row[:2] for name, row in rows.items()} == {
        "Over 60": ["72664", "36332"],
        "25 to 60": ["42645", "17058"],
        "Under 25": ["5881", "2646"],
    }
    assert rows["25 to 60"][3:] == ["0.800", "no", "0.0001 or less, significant", "0"]


def test_the_four_fifths_report_names_who_is_below_and_how_many_more_would_pass(
    world: World,
) -> None:
    result = world.audited([[1000, 500], [900, 310]], verdict="FAIL")
    path = f"/regulator/models/{result.model_id}/reports/four-fifths.csv"
    answer = _read(world, "rae", path)
    cells = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    rows = _rows_of(cells, "Age group")
    assert rows["25 or younger"][3:] == ["0.688", "yes", "0.0001 or less, significant", "50"]
    told = _sentences(cells)
    assert "Under four fifths of it: “25 or younger”." in told
    assert "level 5 %, power 80 %) 388 people are needed" in told


def test_the_level_of_significance_is_the_policy_s(world: World) -> None:
    criteria = [
        *AUDIT["criteria"],
        {"criterion": "acceptance_rate_z_test", "thresholds": ["2.5758"], "certify_at": "2.5758"},
    ]
    study_policy = {**AUDIT, "criteria": criteria}
    result = world.audited([[1000, 500], [1000, 450]], policy=study_policy)
    cells = _cells(world, _public(result, "four-fifths", ".csv"))
    assert _rows_of(cells, "Age group")["25 or younger"][5] == "0.0283"
    assert "level 1 %" in _sentences(cells)


def test_where_groups_are_hidden_the_unknown_are_not_told_apart(world: World) -> None:
    result = world.audited(
        [[1000, 500], [1000, 450], [0, 0]], n_records=2040, attributes=THREE_AGES
    )
    cells = _cells(world, _public(result, "four-fifths", ".csv"))
    assert _rows_of(cells, "Age group")["Under 25"] == ["—"] * 7
    told = _sentences(cells)
    assert "40 people are in them or preferred not to say" in told
    assert "Unknown" not in told


HIDDEN_AND_HIGH: dict[str, Any] = {
    "policy": {**AUDIT, "minimum_group": 10, "small_groups": "undetermined"},
    "attributes": THREE_AGES,
    "n_records": 300,
    "verdict": "FAIL",
}
"""Of 100 people over 60 the model selects 96: the 4 others are too few to be told of."""


def _in_every_form(world: World, result: CertificationResult, report: str) -> dict[str, str]:
    """Return the text of a report's page, files and API answer, as the regulator reads them."""
    base = f"/regulator/models/{result.model_id}/reports/{report}"
    pdf = PdfReader(io.BytesIO(_read(world, "rae", f"{base}.pdf").content))
    texts = {
        "page": unescape(_read(world, "rae", f"{base}/").content.decode()),
        "csv": _read(world, "rae", f"{base}.csv").content.decode("utf-8-sig"),
        "pdf": " ".join(page.extract_text() for page in pdf.pages),
        "api": json.dumps(
            world.get("rae", f"/models/{result.model_id}/reports/{report}").json(),
            ensure_ascii=False,
        ),
    }
    return {form: " ".join(text.split()) for form, text in texts.items()}


def test_beside_a_hidden_group_that_was_compared_every_form_tells_bounds(world: World) -> None:
    result = world.audited([[0, 0], [100, 78], [100, 70]], **HIDDEN_AND_HIGH)
    for form, text in _in_every_form(world, result, "four-fifths").items():
        for stated in (
            "at most 1.000",
            "at most 0.897",
            "at least 0",
            "A group without numbers was compared too and may have a higher rate.",
            "So true ratios can be lower",
        ):
            assert stated in text, (form, stated)
        assert "No group compared is under four fifths" not in text, form
        assert "The highest selection rate is that of" not in text, form
    rows = world.get("rae", f"/models/{result.model_id}/reports/four-fifths").json()["tables"][0]
    assert [row[5] for row in rows["rows"]] == ["—", "not told", "not told"]


def test_an_upper_bound_under_four_fifths_is_under_them_for_sure(world: World) -> None:
    result = world.audited([[0, 0], [100, 78], [100, 60]], **HIDDEN_AND_HIGH)
    table = world.get("rae", f"/models/{result.model_id}/reports/four-fifths").json()["tables"][0]
    assert table["rows"][2][4:] == ["at most 0.769", "yes", "0.0091, significant", "at least 3"]
    assert "Under four fifths of it: “Under 25”." in table["notes"][0]


def test_local_law_144_tells_upper_bounds_beside_a_hidden_category(world: World) -> None:
    result = world.audited(
        [[0, 0], [100, 78], [100, 70]],
        **{
            **HIDDEN_AND_HIGH,
            "attributes": SEX_AND_RACE,
            "policy": {**HIDDEN_AND_HIGH["policy"], "groups": [["race_ethnicity"]]},
        },
    )
    for form, text in _in_every_form(world, result, "nyc-local-law-144").items():
        assert "at most 0.897" in text, form
        assert "A group without numbers was compared too" in text, form


def test_a_single_group_with_numbers_is_no_all_clear(world: World) -> None:
    result = world.audited([[0, 0], [0, 0], [100, 70]], **HIDDEN_AND_HIGH)
    for form, text in _in_every_form(world, result, "four-fifths").items():
        assert "No group compared is under" not in text, form
        assert "at most 1.000" in text, form


@pytest.mark.parametrize(
    ("n_records", "of_the_small", "of_the_large"),
    [(2100, "not compared", "at most 1.000"), (2600, "not told whether compared", "at most 1.000")],
)
def test_beside_hidden_groups_unnamed_exclusion_is_told_only_where_it_is_sure(
    world: World, n_records: int, of_the_small: str, of_the_large: str
) -> None:
    """5 % of the 2050 told are 102.5, of all 2100 people 105, of 2600 people 130."""
    small = 100 if n_records == 2100 else 110
    result = world.audited(
        [[0, 0], [1950, 900], [small, 50]],
        attributes=THREE_AGES,
        n_records=n_records,
        policy={**AUDIT, "minimum_group": 20, "minimum_percent": "5", "small_groups": "excluded"},
    )
    cells = _cells(world, _public(result, "four-fifths", ".csv"))
    rows = _rows_of(cells, "Age group")
    assert rows["Under 25"][3:] == [of_the_small, "—", "—", "—"]
    assert rows["25 to 60"][3] == of_the_large
    told = _sentences(cells)
    assert "Another group may have been compared too and have a higher rate." in told
    assert "“Over 60”" not in told
    assert ("Too small to be compared" in told) is (n_records == 2100)


def test_a_hidden_group_is_never_taken_to_be_too_small(world: World) -> None:
    result = world.audited(
        [[0, 0], [100, 78], [100, 70]],
        **{**HIDDEN_AND_HIGH, "policy": {**AUDIT, "small_groups": "excluded"}},
    )
    for form, text in _in_every_form(world, result, "four-fifths").items():
        assert "Too small to be compared" not in text, form
        assert "at most 0.897" in text, form


STATES = {
    "VALID": ("Valid (valid from", 0),
    "EXPIRED": ("Expired (valid from", -1000),
    "NOT_YET_VALID": ("Not valid yet (valid from", 1000),
}


@pytest.mark.parametrize("report", REPORTS)
def test_every_form_says_whether_the_certificate_is_valid(world: World, report: str) -> None:
    result = _law_144(world)
    certificate = Certificate.objects.get(result=result)
    first, last = certificate.valid_from, certificate.valid_until
    for said, days in STATES.values():
        Certificate.objects.update(
            valid_from=first + timedelta(days), valid_until=last + timedelta(days)
        )
        for form, text in _in_every_form(world, result, report).items():
            assert said in text, (form, said)


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.database
def test_every_form_says_that_the_certificate_was_revoked_and_why(
    world: World, report: str
) -> None:
    result = _law_144(world)
    path = _public(result, report, ".pdf")
    before = _read(world, "anonymous", path).content
    certificate = Certificate.objects.get(result=result)
    assert revoke(world, certificate) == 201
    day = day_text(certificate.revocation.revoked_at)
    for form, text in _in_every_form(world, result, report).items():
        assert f"on {day}: " in text, form
        assert "Revoked by" in text, form
        assert "sample" in text, form
    assert _read(world, "anonymous", path).content != before


def test_what_was_opened_is_told_and_no_more_claimed(world: World) -> None:
    texts = _in_every_form(world, _law_144(world), "four-fifths")
    for form, text in texts.items():
        assert "Everything stayed encrypted" not in text, form
        assert "Opened were the verdicts and the counts in the certificate" in text, form


@pytest.mark.database
def test_of_cases_from_a_file_the_site_cannot_tell_who_else_saw_them(world: World) -> None:
    result = world.audited([[1000, 500], [1000, 450]], verdict="FAIL")
    opened = opened_table(result, result.groups)
    by_file = replace(opened, configuration=replace(opened.configuration, data_source="file"))
    (said,) = [fact.value for fact in origin(by_file) if fact.label == "Source of the data"]
    assert "a file that the auditor holds; who else has seen it, this site cannot tell." in said
    assert "Opened were the verdicts and the counts; of" in said


@pytest.mark.parametrize(("z", "level"), [("5.2", "1.993e-7"), ("9", "2.257e-19")])
def test_a_strict_level_of_significance_keeps_its_digits(world: World, z: str, level: str) -> None:
    criterion = {"criterion": "acceptance_rate_z_test", "thresholds": [z], "certify_at": z}
    result = world.audited(
        [[1000, 900], [1000, 100]],
        policy={**AUDIT, "criteria": [*AUDIT["criteria"], criterion]},
        verdict="FAIL",
    )
    cells = world.get("rae", f"/models/{result.model_id}/reports/four-fifths").json()["tables"][0]
    assert cells["rows"][1][6] == "0.0001 or less, significant"
    assert f"level {float(level) * 100:.3g}\u00a0%" in " ".join(cells["notes"])


def test_missing_tables_of_local_law_144_are_named(world: World) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    page = _read(world, "anonymous", _public(result, "nyc-local-law-144")).content.decode()
    assert "Sex categories, Race/ethnicity categories, Intersectional categories" in page
    assert "report-table" not in page


@pytest.mark.parametrize("report", REPORTS)
def test_a_pdf_opens_and_says_title_language_and_figures(world: World, report: str) -> None:
    answer = _read(world, "anonymous", _public(_law_144(world), report, ".pdf"))
    assert answer["Content-Type"] == "application/pdf"
    assert "attachment" in answer["Content-Disposition"]
    pdf = PdfReader(io.BytesIO(answer.content))
    assert pdf.metadata is not None
    assert pdf.metadata.title is not None
    assert "Credit and age" in pdf.metadata.title
    root: Any = pdf.trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    text = " ".join(page.extract_text() for page in pdf.pages).replace("\n", " ")
    for shown in ("Female · Asian", "0.781", "What this report cannot say", "Meridian Bank"):
        assert shown in text
    outline: Any = pdf.outline
    titles = [
        item.title for part in outline for item in (part if isinstance(part, list) else [part])
    ]
    assert "Sources" in titles


def test_a_pdf_takes_any_title(world: World) -> None:
    title = f"{{nb}} **bold** Ünï © Ελληνικά Ж Tuổi {'W' * 90}"
    result = world.audited([[1000, 500], [900, 420]], title=title)
    answer = _read(world, "anonymous", _public(result, "four-fifths", ".pdf"))
    text = " ".join(page.extract_text() for page in PdfReader(io.BytesIO(answer.content)).pages)
    assert "{nb} **bold** Ünï © Ελληνικά Ж Tuổi" in text


@pytest.mark.parametrize(
    "title",
    ["年龄", "Age 🧓", "आयु", "גיל", "عمر", "نام\u200cه", "x\u0302"],
    ids=["Chinese", "emoji", "Hindi", "Hebrew", "Arabic", "Persian", "stacked"],
)
def test_a_pdf_that_would_lose_a_name_is_refused_by_it(world: World, title: str) -> None:
    attributes = [THREE_AGES[0] | {"title": title}]
    result = world.audited([[1000, 500], [900, 420], [800, 400]], attributes=attributes)
    page = _read(world, "anonymous", _public(result, "four-fifths")).content.decode()
    answer = _read(world, "anonymous", _public(result, "four-fifths", ".pdf"))
    assert (
        title in _read(world, "anonymous", _public(result, "four-fifths", ".csv")).content.decode()
    )
    assert answer.status_code == 409
    for content in (page, answer.content.decode()):
        assert "There is no PDF of this report" in content
        assert title in content
    assert "Download as PDF" not in page


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "\u00a0=1", "\0=1"],
)
def test_no_cell_of_a_csv_file_starts_a_formula(cell: str) -> None:
    assert neutral(cell).startswith("'")


@pytest.mark.parametrize("cell", ["", "12", "48.0 %", "a=b", "—", "“=1”", "1-2"])
def test_other_cells_stay_as_they_are(cell: str) -> None:
    assert neutral(cell) == cell


def test_titles_that_are_formulas_are_neutralised_in_the_file(world: World) -> None:
    ages = [{**THREE_AGES[0], "title": "@age"}]
    ages[0]["categories"] = [
        {"name": "old", "title": '=HYPERLINK("https://example.org","x")'},
        {"name": "young", "title": "-2+3"},
    ]
    result = world.audited([[1000, 500], [900, 420]], attributes=ages, purpose="+1, said; she")
    answer = _read(world, "anonymous", _public(result, "four-fifths", ".csv"))
    cells = [
        cell for row in csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))) for cell in row
    ]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'@age" in cells
    assert '\'=HYPERLINK("https://example.org","x")' in cells


@pytest.mark.parametrize("disclosure", ["verdict", "bracket"])
def test_without_a_table_in_the_policy_there_is_no_report(world: World, disclosure: str) -> None:
    ladder = [str(step) for step in range(5, 101, 5)]
    thresholds = ladder if disclosure == "bracket" else ["80"]
    study = world.closed(
        policy={
            **AUDIT,
            "disclosure": disclosure,
            "small_groups": "undetermined",
            "criteria": [{"criterion": "p_rule", "thresholds": thresholds, "certify_at": "80"}],
        },
        question_bits_limit=1000,
    )
    world.judged(study, verdicts=("PASS",) * len(thresholds))
    _refused_everywhere(world, CertificationResult.objects.get(), "no number about a group")


def test_counts_that_stand_where_the_policy_opens_none_are_not_shown(world: World) -> None:
    """Whatever a row of the database says: the configuration that people agreed to decides."""
    result = world.certified().result
    result.groups = [
        {"group": [["age", name]], "left_out": "not_told", "counts": [1000, 500]}
        for name in ("over_25", "up_to_25")
    ]
    result.save()
    _refused_everywhere(world, result, "no number about a group")


def test_without_a_verdict_there_is_no_report(world: World) -> None:
    result = world.audited([[0, 0], [0, 0]], verdict="UNDETERMINED", reason="NOBODY_SELECTED")
    page = _read(world, "mo", f"/modeler/models/{result.model_id}/reports/four-fifths/")
    assert "decides in nobody&#x27;s favour" in page.content.decode()
    assert "report-facts" not in page.content.decode()


def test_with_every_group_hidden_there_is_no_report(world: World) -> None:
    result = world.audited([[0, 0], [0, 0]], n_records=50)
    _refused_everywhere(world, result, "of one decision or of one outcome")


def _refused_everywhere(world: World, result: CertificationResult, why: str) -> None:
    certificate = Certificate.objects.get(result=result)
    assert why in _read(world, "anonymous", f"/certificates/{certificate.id}/").content.decode()
    bases = {
        "anonymous": f"/certificates/{certificate.id}",
        "mo": f"/modeler/models/{result.model_id}",
        "rae": f"/regulator/models/{result.model_id}",
    }
    for who, base in bases.items():
        for report in REPORTS:
            page = _read(world, who, f"{base}/reports/{report}/")
            assert page.status_code == 200
            assert why in page.content.decode()
            assert "report-facts" not in page.content.decode()
            for ending in (".csv", ".pdf"):
                assert _read(world, who, f"{base}/reports/{report}{ending}").status_code == 404
    for path in (f"/certificates/{certificate.id}", f"/models/{result.model_id}"):
        answer = world.get("mo", f"{path}/reports/four-fifths")
        assert (answer.status_code, answer.json()["code"]) == (409, "REPORT_NOT_OFFERED")


def test_a_verdict_that_did_not_pass_is_for_the_two_sides_alone(world: World) -> None:
    result = world.audited([[1000, 500], [900, 310]], verdict="FAIL")
    for who, role, status in (
        ("mo", "modeler", 200),
        ("rae", "regulator", 200),
        ("mia", "modeler", 404),
        ("uma", "modeler", 404),
        ("rae", "modeler", 404),
        ("mo", "regulator", 404),
        ("anonymous", "regulator", 302),
    ):
        for ending in ("/", ".csv", ".pdf"):
            path = f"/{role}/models/{result.model_id}/reports/four-fifths{ending}"
            assert _read(world, who, path).status_code == status, (who, path)
    shown = world.get("mo", f"/models/{result.model_id}/reports/four-fifths").json()
    assert shown["tables"][0]["rows"][1][5] == "yes"
    assert world.get("mia", f"/models/{result.model_id}/reports/four-fifths").status_code == 404


@pytest.mark.parametrize("report", ["", "nothing", "four-fifths.exe", "%00", "four-fifths" * 200])
def test_there_are_no_other_reports(world: World, report: str) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    certificate = Certificate.objects.get(result=result)
    assert (
        _read(world, "mo", f"/certificates/{certificate.id}/reports/{report}/").status_code == 404
    )
    assert world.get("mo", f"/certificates/{certificate.id}/reports/{report}").status_code == 404


def test_a_model_without_a_verdict_has_no_report(world: World) -> None:
    study = world.closed(policy=AUDIT, question_bits_limit=10_000)
    path = f"/modeler/models/{world.held_model(study)}/reports/four-fifths/"
    assert _read(world, "mo", path).status_code == 404


def test_the_public_report_is_made_of_the_signed_text_alone(world: World) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    path = _public(result, "four-fifths", ".csv")
    before = _cells(world, path)
    CertificationResult.objects.update(
        groups=[{**row, "counts": [1000, 999]} for row in result.groups]
    )
    assert _cells(world, path) == before
    certificate = Certificate.objects.get(result=result)
    Certificate.objects.update(text=certificate.text.replace("420", "421"))
    for ending in ("/", ".csv", ".pdf"):
        answer = _read(world, "anonymous", _public(result, "four-fifths", ending))
        assert answer.status_code == 404


def test_pages_that_show_the_table_lead_to_the_reports(world: World) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    certificate = Certificate.objects.get(result=result)
    for who, page, base in (
        ("anonymous", f"/certificates/{certificate.id}/", f"/certificates/{certificate.id}"),
        ("mo", f"/modeler/studies/{certificate.study_id}/", f"/modeler/models/{result.model_id}"),
        (
            "rae",
            f"/regulator/studies/{certificate.study_id}/",
            f"/regulator/models/{result.model_id}",
        ),
    ):
        shown = _read(world, who, page).content.decode()
        for report in REPORTS:
            assert f'href="{base}/reports/{report}/"' in shown


def test_the_same_report_is_the_same_bytes(world: World) -> None:
    path = _public(world.audited([[1000, 500], [900, 420]]), "four-fifths", ".pdf")
    assert _read(world, "mo", path).content == _read(world, "rae", path).content


def test_the_draft_s_own_policy_offers_no_report(world: World) -> None:
    assert "disclosure" not in draft()["policy"]
    page = _read(world, "anonymous", f"/certificates/{world.certified().id}/").content.decode()
    assert "why-no-report" in page
