"""Tables are read as the vectors state, which browsers follow too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.control.policies.study_terms import CategoryOf, Feature, Label
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import UsageError
from mpc_engine.party.services.case_file import read_labelled_cases
from tests.builders.study_drafts import make_configuration
from tests.engine.sharing.listed import read_vectors

FILE = read_vectors("tables")


@pytest.fixture(scope="module")
def study() -> Configuration:
    features = tuple(
        Feature(
            **{name: each[name] for name in ("name", "unit", "minimum", "maximum")},
            title=each["name"],
            category=CategoryOf(**each["category"]) if "category" in each else None,
        )
        for each in FILE["features"]
    )
    label = Label(title="Income", **FILE["label"])
    return replace(
        make_configuration(), features=features, label=label, x_frac_bits=FILE["x_frac_bits"]
    )


def _read(study: Configuration, case: dict[str, Any]) -> list[tuple[str, list[int], int]]:
    """Read a table whose records are cases."""
    data = case["text"].replace("record_id", "case_id").encode("utf-8")
    labelled, _ = read_labelled_cases(data, study, decimal_comma=case["decimal_comma"])
    return [(one.case_id, list(one.x), y) for one, y in labelled]


@pytest.mark.parametrize("case", FILE["read"], ids=range(len(FILE["read"])))
def test_a_table_gives_the_rows_of_the_vector(study: Configuration, case: dict[str, Any]) -> None:
    assert _read(study, case) == [tuple(row) for row in case["rows"]]


@pytest.mark.parametrize("case", FILE["refused"], ids=lambda case: case["code"])
def test_a_fault_is_named_by_code_and_row(study: Configuration, case: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        _read(study, case)
    assert refused.value.code == case["code"]
    assert refused.value.sentence.startswith(f"Row {case['row']}")
