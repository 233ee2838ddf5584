"""A table to train on is fixed before anybody is asked, and what is trained on opens the root."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.party.commands.cli import main
from mpc_engine.roles import Role
from tests.builders.study_drafts import make_draft
from tests.engine.party.stories import close, train, training_row
from tests.engine.party.world import M, R, World

N_PEOPLE = 6
HELD: dict[str, Any] = {
    "data_holder": "modeler",
    "data_source": "file",
    "question_bits_limit": 200,
}


def _command(world: World, role: Role, *arguments: str) -> int:
    config = ["--config", str(world.folder / role.value / "party.toml")]
    return main([*config, *arguments])


def _committed_draft(world: World) -> dict[str, Any]:
    """Commit to a table by the command, and return the draft that it wrote."""
    draft = make_draft(**HELD)
    names = [feature["name"] for feature in draft["features"]]
    units = [float(feature["unit"]) for feature in draft["features"]]
    label = draft["label"]["name"]
    lines = [f"case_id,{label},{','.join(names)}"]
    for number in range(N_PEOPLE):
        _, x, y = training_row(number)
        values = [str(value / 256 * unit) for value, unit in zip(x, units, strict=True)]
        lines.append(f"P-{number},{y},{','.join(values)}")
    (world.folder / "table.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (world.folder / "draft.json").write_text(json.dumps(draft), "utf-8")
    out = world.folder / "committed.json"
    arguments = ["--draft", str(world.folder / "draft.json")]
    arguments += ["--csv", str(world.folder / "table.csv"), "--out", str(out)]
    assert _command(world, M, "commit-data", *arguments) == 0
    written: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return written


def _configured(world: World, **changes: Any) -> Configuration:
    written = _committed_draft(world)
    return world.configure(**{**HELD, "data_commitment": written["data_commitment"], **changes})


def _accept(world: World, study: Configuration, role: Role) -> str:
    payload = {
        "study_id": study.study_id.hex(),
        "attempt_id": "a7" * 16,
        "text": study.text,
        "approvals": world.approvals("configuration", study.text),
    }
    message = world.order(role, "accept_configuration", payload)
    if message.kind == "configuration_accepted":
        return message.kind
    return message.text("code")


def _invite(world: World, study: Configuration, records: list[bytes]) -> list[str]:
    world.codes = {record: world.rng.bytes(16) for record in records}
    messages = [world.order(r, "invitations", world.invitations(study, r)) for r in Role]
    return [m.kind if m.kind == "invitations_accepted" else m.text("code") for m in messages]


def _records(study: Configuration) -> list[bytes]:
    assert study.data_commitment is not None
    return [study.data_commitment.record_id(row) for row in range(N_PEOPLE)]


def _alter(world: World) -> None:
    """Let the modeler swap the secrets of two stored rows, as one that knows its storage key."""
    from mpc_engine.party.services import committed_data

    party = world.parties[M]
    with party.database.transaction() as connection:
        (row,) = connection.execute(
            "SELECT root, sealed FROM committed_rows WHERE position = 2"
        ).fetchall()
        ids = (row["root"], (2).to_bytes(4, "little"))
        x, y, salt = json.loads(party.cipher.open(committed_data._PLACE, ids, row["sealed"]))
        sealed = party.cipher.seal(
            committed_data._PLACE, ids, json.dumps([x, 1 - y, salt]).encode("ascii")
        )
        connection.execute("UPDATE committed_rows SET sealed = ? WHERE position = 2", (sealed,))


def test_a_study_trains_on_the_rows_that_were_committed_to(world: World) -> None:
    study = _configured(world)
    assert {_accept(world, study, role) for role in Role} == {"configuration_accepted"}
    records = _records(study)
    assert _invite(world, study, records) == ["invitations_accepted"] * 2
    for number, record_id in enumerate(records):
        answers, _, _ = training_row(number)
        sent = world.answer(study, number, answers=answers, record_id=record_id)
        world.submit(study, sent)
    reports = close(world, study)
    record_set = bytes.fromhex(str(reports[M].object("outcome")["record_set"]))
    done = train(world, study, record_set)
    assert {report.kind for report in done.values()} == {"job_result"}
    _alter(world)
    again = train(world, study, record_set, job_id=b"u" * 16, model_ids=[b"n" * 16])
    assert again[M].text("code") == "DATA_COMMITMENT_BROKEN"
    assert again[R].text("code") == "PEER_REFUSED"


def test_a_commitment_that_the_party_did_not_make_is_refused(world: World) -> None:
    strange = {"root": "ab" * 32, "rows": N_PEOPLE}
    study = _configured(world, data_commitment=strange)
    assert _accept(world, study, M) == "DATA_COMMITMENT_UNKNOWN"


def test_a_table_that_the_study_reads_otherwise_is_refused(world: World) -> None:
    study = _configured(world, x_frac_bits=7)
    assert _accept(world, study, M) == "DATA_COMMITMENT_BROKEN"


def test_nobody_is_invited_beside_the_table(world: World) -> None:
    study = _configured(world)
    for role in Role:
        _accept(world, study, role)
    stranger = [*_records(study)[:2], b"s" * 16]
    assert _invite(world, study, stranger) == ["INVITATION_NOT_COMMITTED"] * 2


def test_rows_are_shown_to_an_auditor_and_checked(
    world: World, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    study = _configured(world)
    for role in Role:
        _accept(world, study, role)
    out = tmp_path / "shown.json"
    named = ["--study", study.study_id.hex()]
    assert _command(world, M, "open-rows", *named, "--rows", "1,4", "--out", str(out)) == 0
    assert out.stat().st_mode & 0o777 == 0o600
    assert _command(world, R, "check-rows", str(out), *named) == 0
    printed = capsys.readouterr().out
    assert "row 1 " in printed
    assert _records(study)[4].hex() in printed
    changed = json.loads(out.read_text("utf-8"))
    changed["rows"][0]["y"] = 1 - changed["rows"][0]["y"]
    text = json.dumps(changed, separators=(",", ":"), sort_keys=True)
    out.write_text(text, "utf-8")
    assert _command(world, R, "check-rows", str(out), *named) == 1
    assert "ROW_NOT_COMMITTED" in capsys.readouterr().err
    assert _command(world, M, "open-rows", *named, "--rows", "9", "--out", str(out)) == 1
