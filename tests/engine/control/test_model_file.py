from __future__ import annotations

import json
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.files.model_file import decide_case, parse_model
from mpc_engine.errors import UsageError
from tests.builders.study_drafts import make_configuration

STUDY = make_configuration()


def _text(**changes: Any) -> str:
    model: dict[str, Any] = {
        "format": "bj1 model",
        "configuration": STUDY.digest.hex(),
        "intercept": "-1.25",
        "coefficients": {"duration": "-0.03", "amount": 0.0002},
    }
    return json.dumps({**model, **changes})


def test_coefficients_are_rounded_exactly_per_unit_in_configuration_order() -> None:
    expected = [
        floor(value * 2**16 + Fraction(1, 2))
        for value in (Fraction("-1.25"), Fraction("-0.03") * 12, Fraction("0.0002") * 1000)
    ]
    assert parse_model(_text(), STUDY) == expected


def test_a_byte_order_mark_is_fine() -> None:
    assert parse_model("\ufeff" + _text(), STUDY) == parse_model(_text(), STUDY)


def _coefficients(**changes: Any) -> dict[str, Any]:
    return {"coefficients": {"duration": "-0.03", "amount": "0.1", **changes}}


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        (_text(coefficients={"duration": 1}), "MODEL_COEFFICIENT_MISSING", "amount"),
        (_text(**_coefficients(extra=1)), "MODEL_COEFFICIENT_UNKNOWN", "extra"),
        (_text(**_coefficients(amount="nan")), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(amount=float("nan"))), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(amount=float("inf"))), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(amount="-Infinity")), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(amount=None)), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(amount=True)), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(amount=[1])), "MODEL_COEFFICIENT_NOT_A_NUMBER", "amount"),
        (_text(**_coefficients(duration="10.7")), "MODEL_COEFFICIENT_OUT_OF_RANGE", "duration"),
        (_text(intercept="128"), "MODEL_COEFFICIENT_OUT_OF_RANGE", "intercept"),
        (_text(configuration="00" * 32), "MODEL_OTHER_CONFIGURATION", ""),
        (_text(format="model"), "MODEL_NOT_READABLE", ""),
        (_text(surprise=1), "MODEL_NOT_READABLE", "surprise"),
        (_text(coefficients=[1, 2]), "MODEL_NOT_READABLE", "coefficients"),
        ("[]", "MODEL_NOT_READABLE", ""),
        ("", "MODEL_NOT_READABLE", ""),
        ("{" * 100_000, "MODEL_NOT_READABLE", ""),
        ('{"a":1,"a":2}', "MODEL_NOT_READABLE", '"a"'),
        ('{"a":' + "1" * 5000 + "}", "MODEL_NOT_READABLE", ""),
    ],
)
def test_a_bad_model_is_refused_by_name(text: str, code: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(text, STUDY)
    assert caught.value.code == code
    assert named in caught.value.sentence


def test_a_missing_intercept_is_named() -> None:
    model = json.loads(_text())
    del model["intercept"]
    with pytest.raises(UsageError, match="intercept"):
        parse_model(json.dumps(model), STUDY)


def test_a_refusal_never_states_the_coefficient() -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(_text(intercept="7777.12345"), STUDY)
    assert "7777" not in caught.value.sentence
    assert "12345" not in caught.value.sentence


def test_range_ends_are_allowed() -> None:
    assert parse_model(_text(intercept="-128"), STUDY)[0] == -(2**23)
    assert parse_model(_text(intercept="127.99998"), STUDY)[0] == 2**23 - 1


@pytest.mark.parametrize(
    ("theta", "x", "decision"), [([0, 0], [5], 1), ([-1, 1], [256], 1), ([-1, 1], [255], 0)]
)
def test_a_tie_is_a_favourable_decision(theta: list[int], x: list[int], decision: int) -> None:
    assert decide_case(theta, x, 8) == decision


@given(st.text(max_size=80))
def test_garbage_is_refused_and_never_crashes(text: str) -> None:
    with pytest.raises(UsageError):
        parse_model(text, STUDY)
