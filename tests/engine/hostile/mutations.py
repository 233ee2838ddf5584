"""Hostile input for decoders: damaged bytes, damaged JSON, and the one promise they must keep."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mpc_engine.errors import EngineError

T = TypeVar("T")

_DAMAGES = ("cut", "longer", "flipped", "swapped", "repeated", "overwritten", "replayed", "random")


def fuzzing(examples: int) -> settings:
    """Return settings that draw the same inputs in every run."""
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def read_or_refuse(read: Callable[[], T], *refusals: type[EngineError]) -> T | None:
    """Return what ``read`` reads, or None where it refuses; any other exception goes through."""
    with contextlib.suppress(*(refusals or (EngineError,))):
        return read()
    return None


@st.composite
def damaged(draw: st.DrawFn, valid: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Draw a damaged form of ``valid``; ``others`` are valid elsewhere and may be replayed."""
    data = valid
    for _ in range(draw(st.integers(1, 2))):
        data = _damage_once(draw, data, others)
    return data


def _damage_once(draw: st.DrawFn, data: bytes, others: Sequence[bytes]) -> bytes:
    how = draw(st.sampled_from(_DAMAGES))
    place = st.integers(0, len(data))
    if how == "random":
        return draw(st.binary(max_size=300))
    if how == "longer":
        extra = draw(st.binary(min_size=1, max_size=70))
        return data + extra if draw(st.booleans()) else extra + data
    if how == "replayed" and others:
        return draw(st.sampled_from(list(others)))
    start, end = sorted((draw(place), draw(place)))
    if how == "cut":
        return data[:start] + (data[end:] if draw(st.booleans()) else b"")
    if how == "swapped":
        return data[end:] + data[start:end] + data[:start]
    if how == "repeated":
        return data[:end] + data[start:end] + data[end:]
    if how == "overwritten":
        new = draw(st.sampled_from([b"\0", b"\xff"])) * min(end - start, 64)
        return data[:start] + new + data[start + len(new) :]
    if not data:
        return data
    position, bit = draw(st.integers(0, len(data) - 1)), draw(st.integers(0, 7))
    return data[:position] + bytes([data[position] ^ (1 << bit)]) + data[position + 1 :]


def json_values() -> st.SearchStrategy[Any]:
    """Return values as a task queue or a JSON file can bring them, whatever they mean."""
    odd = ["", "\ud800", "\0", "e\u0301", "-0", "1e999", "9" * 5000, "A" * 3000, "ab" * 16]
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.sampled_from([-1, 1 << 32, 1 << 53, -(1 << 63), 10**400])
        | st.floats()
        | st.text(st.characters(), max_size=20)
        | st.sampled_from(odd)
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
        ),
        max_leaves=8,
    )


def json_text(value: Any) -> str:
    """Return the text of a value as a careless or hostile writer of canonical JSON makes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


@st.composite
def damaged_json(draw: st.DrawFn, valid: Any) -> Any:
    """Draw ``valid`` with one or two of its values replaced, lost, doubled, moved or added."""
    value = copy.deepcopy(valid)
    for _ in range(draw(st.integers(1, 2))):
        places = _places(value)
        if not places:
            return draw(json_values())
        holder, key = draw(st.sampled_from(places))
        how = draw(st.sampled_from(["replace", "drop", "borrow", "add", "double"]))
        if how == "replace":
            holder[key] = draw(json_values())
        elif how == "drop":
            del holder[key]
        elif how == "borrow":
            other, name = draw(st.sampled_from(places))
            holder[key] = copy.deepcopy(other[name])
        elif isinstance(holder, dict):
            holder[draw(st.text(max_size=8))] = draw(json_values())
        else:
            holder.insert(key, copy.deepcopy(holder[key]) if how == "double" else key)
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        items: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return []
    found = [(value, key) for key, _ in items]
    for _, inner in items:
        found += _places(inner)
    return found
