"""The commitment to a table: any change to a row is seen, and a digest hides its row."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.studies.data_commitment import (
    CommittedRow,
    DataCommitment,
    check_opened,
    commit,
    open_rows,
    opening_text,
    parse_opening,
)
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.errors import CheckFailedError, EngineError, UsageError
from tests.builders.study_drafts import make_configuration

ENCODING = make_configuration().encoding_digest


def _rows(n: int) -> list[CommittedRow]:
    return [CommittedRow(k, (k, -k), k % 3, bytes([k]) * 32) for k in range(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 13])
def test_every_row_opens_and_no_other(n: int) -> None:
    rows = _rows(n)
    commitment = commit(rows, ENCODING)
    text = opening_text(b"c" * 32, open_rows(rows, range(n)))
    for opened in parse_opening(text + "\n", b"c" * 32):
        check_opened(commitment, ENCODING, opened)
        row = opened.row
        changes: list[dict[str, Any]] = [
            {"x": (row.x[0] + 1, row.x[1])},
            {"x": (*row.x, 0)},
            {"y": (row.y + 1) % 3},
            {"salt": bytes(31) + b"\1"},
            {"position": row.position + 1},
        ]
        for change in changes:
            with pytest.raises(CheckFailedError) as caught:
                check_opened(commitment, ENCODING, replace(opened, row=replace(row, **change)))
            assert caught.value.code == "ROW_NOT_COMMITTED"
        for path in (opened.path[:-1], (*opened.path, bytes(32)), (bytes(32), *opened.path[1:])):
            if path != opened.path:
                with pytest.raises(CheckFailedError):
                    check_opened(commitment, ENCODING, replace(opened, path=path))
        with pytest.raises(CheckFailedError):
            check_opened(replace(commitment, n_rows=n + 1), ENCODING, opened)
        with pytest.raises(CheckFailedError):
            check_opened(commitment, bytes(32), opened)


def test_units_scales_and_the_meaning_of_the_outcome_are_bound() -> None:
    assert make_configuration(x_frac_bits=7).encoding_digest != ENCODING
    features = json.loads(make_configuration().text)["features"]
    features[0]["unit"] = "7"
    assert make_configuration(features=features).encoding_digest != ENCODING
    assert make_configuration(retention_days=1).encoding_digest == ENCODING


def test_the_same_row_has_another_digest_under_another_salt() -> None:
    row = _rows(1)[0]
    assert row.digest() != replace(row, salt=b"s" * 32).digest()


def test_records_follow_from_the_root() -> None:
    commitment = commit(_rows(3), ENCODING)
    positions = commitment.positions()
    assert sorted(positions.values()) == [0, 1, 2]
    assert all(commitment.record_id(row) == record for record, row in positions.items())
    other = commit([replace(row, y=0) for row in _rows(3)], ENCODING)
    assert not positions.keys() & other.positions().keys()
    with pytest.raises(UsageError):
        commitment.record_id(3)
    known = DataCommitment(bytes(range(32)), 300)
    assert known.record_id(0).hex() == "f7600f757c0079cff3d48ad59fbc9ff6"
    assert known.record_id(258).hex() == "e4b821e3eae36d9f71710628d431c87d"


@given(st.binary(max_size=200) | st.text(max_size=100))
def test_any_text_is_refused_with_a_code(data: bytes | str) -> None:
    with pytest.raises(EngineError):
        parse_opening(data, b"c" * 32)


@pytest.mark.parametrize(
    "change",
    [{"position": -1}, {"x": [1 << 40]}, {"x": ["1"]}, {"y": 3}, {"salt": "00"}, {"path": ["0"]}],
)
def test_a_fault_of_an_opening_is_named(change: dict[str, Any]) -> None:
    value = json.loads(opening_text(b"c" * 32, open_rows(_rows(2), [1])))
    value["rows"][0] |= change
    with pytest.raises(UsageError) as caught:
        parse_opening(canonical_text(value), b"c" * 32)
    assert caught.value.code == "OPENING_INVALID"
    with pytest.raises(UsageError) as caught:
        parse_opening(opening_text(b"d" * 32, open_rows(_rows(2), [1])), b"c" * 32)
    assert caught.value.code == "OPENING_OTHER_STUDY"
