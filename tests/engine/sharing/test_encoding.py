"""Decimal values become the integers the vectors state."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.errors import UsageError
from mpc_engine.sharing.encoding import encode_feature, encode_value, shown_value
from tests.engine.sharing.listed import read_vectors

FILE = read_vectors("encoding")


def test_every_value_equals_the_vector() -> None:
    for case in FILE["encode_value"]:
        encoded = encode_value(case["text"], case["unit"], case["frac_bits"])
        assert str(encoded) == case["expected"], case


@pytest.mark.parametrize("text", FILE["not_numbers"], ids=ascii)
def test_what_is_no_number_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError, match='"age"') as refused:
        encode_value(text, "1", 8, name="age")
    assert refused.value.code == "NOT_A_NUMBER"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), True, None, [], b"1"])
def test_a_python_value_that_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(UsageError) as refused:
        encode_value(value, "1", 8)
    assert refused.value.code == "NOT_A_NUMBER"


@pytest.mark.parametrize("unit", FILE["units_not_positive"])
def test_a_unit_must_be_positive(unit: str) -> None:
    with pytest.raises(UsageError) as refused:
        encode_value("1", unit, 8)
    assert refused.value.code == "UNIT_NOT_POSITIVE"


def test_numbers_count_as_their_shortest_text() -> None:
    assert encode_value(0.1, "0.1", 16) == 1 << 16
    assert encode_value(-3, "1", 4) == -48
    assert encode_value(1e22, "1", 0) == 10**22
    assert encode_value(5e-324, "1", 0) == 0


@pytest.mark.parametrize("case", FILE["encode_feature"], ids=lambda case: case["text"])
def test_a_feature_is_held_to_its_range(case: dict[str, Any]) -> None:
    arguments = {**case["feature"], "frac_bits": case["frac_bits"]}
    if case["expected"] is None:
        with pytest.raises(UsageError, match=case["feature"]["name"]) as refused:
            encode_feature(case["text"], **arguments)
        assert refused.value.code == "VALUE_OUT_OF_RANGE"
    else:
        assert encode_feature(case["text"], **arguments) == case["expected"]


@pytest.mark.parametrize("case", FILE["shown_value"], ids=lambda case: case["expected"])
def test_an_encoded_value_is_shown_as_it_was_entered(case: dict[str, Any]) -> None:
    shown = shown_value(case["x"], case["unit"], case["frac_bits"])
    assert shown == case["expected"]
    assert encode_value(shown, case["unit"], case["frac_bits"]) == case["x"]
