"""Policies and model files: what is read is in range, and read in time."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.files.model_file import MAX_MODEL_BYTES, parse_model
from mpc_engine.control.policies.policy import read_policy
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import DecodeError, UsageError
from tests.engine.hostile.mutations import (
    damaged,
    damaged_json,
    fuzzing,
    json_values,
    read_or_refuse,
)
from tests.engine.hostile.specimens import MODEL, POLICY, STUDY


def _read(parse: Callable[[Any], Any], value: Any) -> Any:
    return read_or_refuse(lambda: parse(value), UsageError, DecodeError)


@fuzzing(80)
@given(damaged_json(POLICY) | json_values())
def test_a_damaged_policy_reads_as_itself_or_is_refused(value: Any) -> None:
    policy = _read(lambda v: read_policy(Fields(v, "policy", code="X")), value)
    assert policy is None or policy.to_json() == value


@fuzzing(80)
@given(
    damaged_json(MODEL).map(lambda value: json.dumps(value))
    | damaged(json.dumps(MODEL).encode()).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
    | st.text(st.characters(), max_size=30)
)
def test_a_damaged_model_gives_coefficients_in_range_or_is_refused(text: str) -> None:
    theta = _read(functools.partial(parse_model, configuration=STUDY), text)
    if theta is not None:
        assert len(theta) == 3
        assert all(-(1 << 23) <= coefficient < 1 << 23 for coefficient in theta)


def test_a_model_of_very_many_names_is_refused_soon() -> None:
    """In processor time, which other processes don't lengthen: no false alarm under load."""
    names = ",".join(f'"{number:x}":1' for number in range(28_000))
    text = json.dumps({**MODEL, "coefficients": "_"}).replace('"_"', "{" + names + "}")
    assert len(text) <= MAX_MODEL_BYTES
    started = time.process_time()
    assert _read(functools.partial(parse_model, configuration=STUDY), text) is None
    assert time.process_time() - started < 2
