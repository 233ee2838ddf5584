from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.study_texts import DataRow, approved_body_text, data_text
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose
from tests.engine.party.heard import Heard
from tests.engine.party.world import M, R, World, record


def _upload(
    world: World, study: Configuration, rows: list[DataRow], number: int = 0, role: Role = R
) -> Heard:
    upload_id = bytes([number]) * 16
    body = data_text(study.study_id, study.digest, rows)
    text = approved_body_text(body, sign_approval("data", body, role, world.approvers[role]))
    order: dict[str, Any] = {
        "study_id": study.study_id.hex(),
        "upload_id": upload_id.hex(),
        "envelope": world.sealed(study, role, Purpose.DATA, upload_id, text),
    }
    return world.order(role, "data", order)


def _rows(*numbers: int) -> list[DataRow]:
    return [DataRow(record(number), (number, number), 2) for number in numbers]


def test_an_upload_is_counted_and_replaced_while_the_study_is_open(world: World) -> None:
    study = world.open_study(data_source="file")
    assert _upload(world, study, _rows(0, 1)).integer("rows") == 2
    assert _upload(world, study, _rows(0, 1, 2), number=1).integer("rows") == 3
    assert world.n_rows(R, "data_rows") == 3


def test_rows_of_strangers_are_named(world: World) -> None:
    study = world.open_study(data_source="file", n_invited=1)
    message = _upload(world, study, _rows(0, 7))
    assert (message.kind, message.text("code")) == ("data_refused", "DATA_RECORD_UNKNOWN")
    assert "Row 2" in message.text("sentence")
    assert record(7).hex() in message.text("sentence")


def test_only_the_holder_of_data_that_come_by_file_takes_them(world: World) -> None:
    study = world.open_study(data_source="file")
    assert _upload(world, study, _rows(0), role=M).text("code") == "NOT_FOR_THIS_PARTY"


def test_a_study_whose_people_give_their_data_takes_no_file(world: World) -> None:
    study = world.open_study()
    assert _upload(world, study, _rows(0)).text("code") == "DATA_NOT_BY_FILE"


def test_data_stay_once_the_study_is_closed(world: World) -> None:
    study = world.open_study(data_source="file")
    _upload(world, study, _rows(0))
    with world.parties[R].database.transaction() as connection:
        connection.execute("UPDATE studies SET state = 'CLOSED'")
    assert _upload(world, study, _rows(1), number=1).text("code") == "DATA_FIXED"


@pytest.mark.parametrize("rows", [_rows(0, 0), [DataRow(record(0), (9999, 0), 2)]])
def test_bad_rows_are_refused_and_nothing_is_stored(world: World, rows: list[DataRow]) -> None:
    study = world.open_study(data_source="file")
    assert _upload(world, study, rows).kind == "data_refused"
    assert world.n_rows(R, "data_rows") == 0
