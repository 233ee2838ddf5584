"""Reports from opened tables: figures, files, and who may see which."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta

import pytest

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.lib.moments import day_text
from blindjustice_web.presentation.reports.catalogue import REPORTS
from blindjustice_web.presentation.reports.opened import opened_table
from blindjustice_web.presentation.reports.wording import origin
from tests.web.drafts import AUDIT, LOCAL_LAW_144, THREE_AGES
from tests.web.report_stories import (
    cells_of,
    in_every_form,
    law_144,
    public_report,
    read_report,
    rows_of,
    sentences_of,
)
from tests.web.revocations import revoke
from tests.web.stories import World


def test_the_local_law_144_summary_has_its_three_tables(world: World) -> None:
    cells = cells_of(world, public_report(law_144(world), "nyc-local-law-144", ".csv"))
    assert rows_of(cells, "Sex categories: Sex") == {
        "Female": ["2000", "960", "48.0 %", "0.960"],
        "Male": ["2050", "1025", "50.0 %", "1.000"],
    }
    races = rows_of(cells, "Race/ethnicity categories: Race or ethnicity")
    assert races["Asian"] == ["400", "170", "42.5 %", "0.823"]
    both = rows_of(cells, "Intersectional categories: Sex × Race or ethnicity")
    assert both["Female · Asian"] == ["190", "78", "41.1 %", "0.781"]
    assert both["Male · White"] == ["1100", "578", "52.5 %", "1.000"]
    assert len(both) == 6
    assert sentences_of(cells).count("Unknown (preferred not to say): 50 people") == 3


def test_the_summary_states_dates_source_and_what_is_not_computed(world: World) -> None:
    result = law_144(world)
    page = read_report(
        world, "anonymous", public_report(result, "nyc-local-law-144")
    ).content.decode()
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
    page = read_report(
        world, "anonymous", public_report(result, "nyc-local-law-144")
    ).content.decode()
    assert "put into use on" in page


def test_excluded_categories_are_stated_with_their_numbers_and_a_justification(
    world: World,
) -> None:
    result = law_144(world, left_out=(5,), policy={**LOCAL_LAW_144, "minimum_percent": "5"})
    cells = cells_of(world, public_report(result, "nyc-local-law-144", ".csv"))
    both = rows_of(cells, "Intersectional categories: Sex × Race or ethnicity")
    assert both["Female · Asian"] == ["190", "78", "41.1 %", "excluded"]
    assert "Excluded from the impact ratios: “Female · Asian”. Justification:" in sentences_of(
        cells
    )


def test_a_tiny_group_is_apart_and_never_the_reference(world: World) -> None:
    result = world.audited(
        [[1000, 500], [1000, 450], [10, 10]], left_out=(2,), attributes=THREE_AGES
    )
    rows = rows_of(cells_of(world, public_report(result, "four-fifths", ".csv")), "Age group")
    assert rows["Over 60"][3:] == ["1.000", "no", "the reference", "—"]
    assert rows["25 to 60"][3:5] == ["0.900", "no"]
    assert rows["Under 25"] == ["10", "10", "100.0 %", "not compared", "—", "—", "—"]


def test_groups_that_the_policy_excludes_unnamed_are_known_by_their_share(world: World) -> None:
    policy = {**AUDIT, "small_groups": "excluded"}
    result = world.audited(
        [[1000, 500], [1000, 450], [10, 9]], attributes=THREE_AGES, policy=policy
    )
    rows = rows_of(cells_of(world, public_report(result, "four-fifths", ".csv")), "Age group")
    assert rows["Under 25"][3] == "not compared"
    assert rows["Over 60"][3] == "1.000"


def test_three_categories_of_many_people_stay_three(world: World) -> None:
    result = world.audited(
        [[72_664, 36_332], [42_645, 17_058], [5_881, 2_646]], attributes=THREE_AGES
    )
    rows = rows_of(cells_of(world, public_report(result, "four-fifths", ".csv")), "Age group")
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
    answer = read_report(world, "rae", path)
    cells = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    rows = rows_of(cells, "Age group")
    assert rows["25 or younger"][3:] == ["0.688", "yes", "0.0001 or less, significant", "50"]
    told = sentences_of(cells)
    assert "Under four fifths of it: “25 or younger”." in told
    assert "level 5 %, power 80 %) 388 people are needed" in told


def test_the_level_of_significance_is_the_policy_s(world: World) -> None:
    criteria = [
        *AUDIT["criteria"],
        {"criterion": "acceptance_rate_z_test", "thresholds": ["2.5758"], "certify_at": "2.5758"},
    ]
    study_policy = {**AUDIT, "criteria": criteria}
    result = world.audited([[1000, 500], [1000, 450]], policy=study_policy)
    cells = cells_of(world, public_report(result, "four-fifths", ".csv"))
    assert rows_of(cells, "Age group")["25 or younger"][5] == "0.0283"
    assert "level 1 %" in sentences_of(cells)


def test_where_groups_are_hidden_the_unknown_are_not_told_apart(world: World) -> None:
    result = world.audited(
        [[1000, 500], [1000, 450], [0, 0]], n_records=2040, attributes=THREE_AGES
    )
    cells = cells_of(world, public_report(result, "four-fifths", ".csv"))
    assert rows_of(cells, "Age group")["Under 25"] == ["—"] * 7
    told = sentences_of(cells)
    assert "40 people are in them or preferred not to say" in told
    assert "Unknown" not in told


STATES = {
    "VALID": ("Valid (valid from", 0),
    "EXPIRED": ("Expired (valid from", -1000),
    "NOT_YET_VALID": ("Not valid yet (valid from", 1000),
}


@pytest.mark.slow
@pytest.mark.parametrize("report", REPORTS)
def test_every_form_says_whether_the_certificate_is_valid(world: World, report: str) -> None:
    result = law_144(world)
    certificate = Certificate.objects.get(result=result)
    first, last = certificate.valid_from, certificate.valid_until
    for said, days in STATES.values():
        Certificate.objects.update(
            valid_from=first + timedelta(days), valid_until=last + timedelta(days)
        )
        for form, text in in_every_form(world, result, report).items():
            assert said in text, (form, said)


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.database
def test_every_form_says_that_the_certificate_was_revoked_and_why(
    world: World, report: str
) -> None:
    result = law_144(world)
    path = public_report(result, report, ".pdf")
    before = read_report(world, "anonymous", path).content
    certificate = Certificate.objects.get(result=result)
    assert revoke(world, certificate) == 201
    day = day_text(certificate.revocation.revoked_at)
    for form, text in in_every_form(world, result, report).items():
        assert f"on {day}: " in text, form
        assert "Revoked by" in text, form
        assert "sample" in text, form
    assert read_report(world, "anonymous", path).content != before


def test_what_was_opened_is_told_and_no_more_claimed(world: World) -> None:
    texts = in_every_form(world, law_144(world), "four-fifths")
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
    page = read_report(
        world, "anonymous", public_report(result, "nyc-local-law-144")
    ).content.decode()
    assert "Sex categories, Race/ethnicity categories, Intersectional categories" in page
    assert "report-table" not in page
