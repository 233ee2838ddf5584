from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from mpc_engine.control.studies.study_texts import (
    Challenge,
    DataRow,
    approved_body_text,
    challenge_text,
    data_text,
    deployment_text,
    invitations_text,
    parse_approved_body,
    parse_challenge,
    parse_data,
    parse_deployment,
    parse_invitations,
)
from mpc_engine.control.texts.approvals import Approval
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from tests.builders.study_drafts import make_configuration

STUDY = make_configuration()
ROW = DataRow(b"1" * 16, (0, 5120), 2)


def test_invitations_read_back_in_order_of_record() -> None:
    credentials = {b"2" * 16: b"b" * 32, b"1" * 16: b"a" * 32}
    text = invitations_text(STUDY.study_id, STUDY.digest, Role.MODELER, credentials)
    invitations = parse_invitations(text)
    assert invitations.credentials == credentials
    assert invitations.role is Role.MODELER
    assert text.index("31" * 16) < text.index("32" * 16)


def test_a_record_invited_twice_in_a_list_is_named() -> None:
    text = invitations_text(STUDY.study_id, STUDY.digest, Role.MODELER, {b"1" * 16: b"a" * 32})
    value = json.loads(text)
    value["credentials"] *= 2
    with pytest.raises(UsageError, match="31" * 16):
        parse_invitations(canonical_text(value))


def test_a_deployment_reads_back() -> None:
    moment = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
    text = deployment_text(b"s" * 16, b"m" * 16, moment)
    assert parse_deployment(text) == (b"s" * 16, b"m" * 16, moment)


def test_a_body_travels_with_its_approval() -> None:
    approval = Approval(Role.MODELER, b"k" * 16, b"s" * 64)
    text = approved_body_text("body", approval)
    assert parse_approved_body(text.encode(), "model", "X") == ("body", approval)


def test_data_reads_back() -> None:
    assert parse_data(data_text(STUDY.study_id, STUDY.digest, [ROW]), STUDY) == [ROW]


@pytest.mark.parametrize(
    ("rows", "code", "named"),
    [
        ([ROW, ROW], "DATA_ROW_DOUBLED", "Row 2"),
        ([DataRow(b"1" * 16, (0, 5121), 0)], "DATA_VALUE_OUT_OF_RANGE", '"amount"'),
        ([DataRow(b"1" * 16, (-1, 0), 0)], "DATA_VALUE_OUT_OF_RANGE", '"duration"'),
        ([DataRow(b"1" * 16, (0,), 0)], "DATA_VALUE_OUT_OF_RANGE", "Row 1"),
        ([DataRow(b"1" * 16, (0, 0), 3)], "DATA_INVALID", "label"),
        ([DataRow(b"1", (0, 0), 1)], "DATA_INVALID", "record id"),
        ([], "DATA_INVALID", "rows"),
    ],
)
def test_a_bad_row_is_named(rows: list[DataRow], code: str, named: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_data(data_text(STUDY.study_id, STUDY.digest, rows), STUDY)
    assert caught.value.code == code
    assert named in caught.value.sentence


def test_data_of_another_study_is_refused() -> None:
    text = data_text(STUDY.study_id, b"x" * 32, [ROW])
    with pytest.raises(UsageError) as caught:
        parse_data(text, STUDY)
    assert caught.value.code == "DATA_OTHER_CONFIGURATION"


def test_a_challenge_reads_back() -> None:
    challenge = Challenge(b"1" * 16, b"2" * 16, (1, -2), 1, {})
    assert parse_challenge(challenge_text(challenge).encode()) == challenge
    assert "-2" not in repr(challenge)


@pytest.mark.parametrize("change", [{"decision": 2}, {"x": ["1"]}, {"record": []}, {"more": 1}])
def test_a_broken_challenge_is_refused(change: dict[str, Any]) -> None:
    value = json.loads(challenge_text(Challenge(b"1" * 16, b"2" * 16, (1, -2), 1, {})))
    with pytest.raises(UsageError) as caught:
        parse_challenge(canonical_text({**value, **change}).encode())
    assert caught.value.code == "CHALLENGE_INVALID"
