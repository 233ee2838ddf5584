"""Beside groups without numbers, reports tell bounds and clear nobody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.drafts import AUDIT, SEX_AND_RACE, THREE_AGES
from tests.web.report_stories import (
    cells_of,
    in_every_form,
    public_report,
    rows_of,
    sentences_of,
)
from tests.web.stories import World

HIDDEN_AND_HIGH: dict[str, Any] = {
    "policy": {**AUDIT, "minimum_group": 10, "minimum_decided": 10, "small_groups": "undetermined"},
    "attributes": THREE_AGES,
    "n_records": 300,
    "verdict": "FAIL",
}
"""Of 100 people over 60 the model selects 96: the 4 others are too few to be told of."""


@pytest.mark.slow
def test_beside_a_hidden_group_that_was_compared_every_form_tells_bounds(world: World) -> None:
    result = world.audited([[0, 0], [100, 78], [100, 70]], **HIDDEN_AND_HIGH)
    for form, text in in_every_form(world, result, "four-fifths").items():
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
    for form, text in in_every_form(world, result, "nyc-local-law-144").items():
        assert "at most 0.897" in text, form
        assert "A group without numbers was compared too" in text, form


def test_a_single_group_with_numbers_is_no_all_clear(world: World) -> None:
    result = world.audited([[0, 0], [0, 0], [100, 70]], **HIDDEN_AND_HIGH)
    for form, text in in_every_form(world, result, "four-fifths").items():
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
        policy={
            **AUDIT,
            "minimum_group": 20,
            "minimum_decided": 10,
            "minimum_percent": "5",
            "small_groups": "excluded",
        },
    )
    cells = cells_of(world, public_report(result, "four-fifths", ".csv"))
    rows = rows_of(cells, "Age group")
    assert rows["Under 25"][3:] == [of_the_small, "—", "—", "—"]
    assert rows["25 to 60"][3] == of_the_large
    told = sentences_of(cells)
    assert "Another group may have been compared too and have a higher rate." in told
    assert "“Over 60”" not in told
    assert ("Too small to be compared" in told) is (n_records == 2100)


@pytest.mark.slow
def test_a_hidden_group_is_never_taken_to_be_too_small(world: World) -> None:
    result = world.audited(
        [[0, 0], [100, 78], [100, 70]],
        **{**HIDDEN_AND_HIGH, "policy": {**AUDIT, "small_groups": "excluded"}},
    )
    for form, text in in_every_form(world, result, "four-fifths").items():
        assert "Too small to be compared" not in text, form
        assert "at most 0.897" in text, form
