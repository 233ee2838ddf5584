"""Estimator files: exact, readable by everybody, and every hostile one refused by name."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.files.estimator_file import (
    EstimatorFeature,
    EstimatorFile,
    estimator_text,
    exact_decimal,
    parse_estimator,
    study_estimator,
)
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.errors import EngineError, UsageError
from tests.builders.study_drafts import make_configuration

STUDY = make_configuration()
THETA = [-(1 << 20) + 1, 3, -7]
TEXT = estimator_text(study_estimator(THETA, STUDY, {"steps": 40, "job_id": "ab"}))
VALUE: dict[str, Any] = json.loads(TEXT)


def _floats(intercept: float, *coefficients: float) -> EstimatorFile:
    return EstimatorFile(
        "by_position",
        tuple(
            EstimatorFeature(f"x{k}", "1", Fraction(value)) for k, value in enumerate(coefficients)
        ),
        Fraction(intercept),
        None,
        ("no", "yes"),
        {},
    )


def test_a_studys_estimator_holds_the_partys_integers() -> None:
    estimator = parse_estimator(TEXT + "\n")
    assert estimator.scaled() == THETA
    assert [each.unit for each in estimator.features] == [each.unit for each in STUDY.features]
    assert estimator.rounding is not None
    assert estimator.rounding.feature_bits == STUDY.x_frac_bits
    assert estimator.provenance["configuration"] == STUDY.digest.hex()
    assert (estimator.classes, estimator.provenance["class_1"]) == ((0, 1), STUDY.label.favourable)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=4))
def test_floats_come_back_bit_for_bit(values: list[float]) -> None:
    read = parse_estimator(estimator_text(_floats(*values)))
    found = [read.intercept, *(each.coefficient for each in read.features)]
    assert [float(each) for each in found] == values


@given(st.fractions(max_denominator=10**6))
def test_a_decimal_is_exact_or_refused(value: Fraction) -> None:
    try:
        assert Fraction(exact_decimal(value)) == value
    except UsageError:
        rest = value.denominator
        while rest % 2 == 0 or rest % 5 == 0:
            rest //= 2 if rest % 2 == 0 else 5
        assert rest > 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"format": "pickle"}, "format"),
        ({"version": 2}, "version"),
        ({"columns": "both"}, "columns"),
        ({"rounding": "some"}, "rounding"),
        ({"rounding": {"feature_bits": 8}}, "coefficient_bits"),
        ({"rounding": {"feature_bits": 8, "coefficient_bits": 3}}, "coefficient"),
        ({"rounding": "none"}, "unit"),
        ({"intercept": "1e5"}, "intercept"),
        ({"intercept": "0.00000000000000000001"}, "intercept"),
        ({"intercept": "99999999999"}, "intercept"),
        ({"intercept": 1}, "intercept"),
        ({"features": []}, "features"),
        ({"features": [VALUE["features"][0]] * 2}, "twice"),
        ({"features": [{**VALUE["features"][0], "unit": "0"}]}, "unit"),
        ({"features": [{**VALUE["features"][0], "code": "import os"}]}, "code"),
        ({"classes": {"kind": "integer", "values": [0, "1"]}}, "values"),
        ({"classes": {"kind": "integer", "values": [1, 1]}}, "values"),
        ({"classes": {"kind": "boolean", "values": ["true", "maybe"]}}, "values"),
        ({"classes": {"kind": "object", "values": ["a", "b"]}}, "kind"),
        ({"provenance": {"a": []}}, "provenance"),
        ({"more": 1}, "more"),
    ],
)
def test_a_fault_is_named(change: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_estimator(canonical_text({**VALUE, **change}))
    assert caught.value.code in ("ESTIMATOR_INVALID", "ESTIMATOR_VERSION_UNKNOWN")
    assert named in caught.value.sentence


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_with_a_code(data: bytes) -> None:
    with pytest.raises(EngineError):
        parse_estimator(data)


_JSON = st.recursive(
    st.integers(-(2**60), 2**60) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


@pytest.mark.slow
@given(st.sampled_from(sorted(VALUE)), _JSON, st.integers(0, len(TEXT)), st.binary(max_size=3))
def test_changed_files_are_read_or_refused_and_nothing_else(
    name: str, value: Any, place: int, inserted: bytes
) -> None:
    changed = json.dumps({**VALUE, name: value}, separators=(",", ":"), sort_keys=True)
    spliced = TEXT.encode()[:place] + inserted + TEXT.encode()[place + 1 :]
    for data in (changed, spliced):
        try:
            parse_estimator(data)
        except EngineError as error:
            assert error.code


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    with pytest.raises(UsageError, match="too large"):
        parse_estimator("[" * ((1 << 21) + 1))
