from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mpc_engine.control.files.decision_record import parse_decision_record
from mpc_engine.control.files.descriptor import (
    parse_approver_file,
    parse_descriptor,
)
from mpc_engine.error_words import words_of
from mpc_engine.party.commands.cli import main
from mpc_engine.party.zone.private_files import write_private
from tests.engine.party.command_line import config_of
from tests.engine.party.stories import certified_study
from tests.engine.party.world import M, World

pytestmark = pytest.mark.usefixtures("world_clock")


CSV = "case_id;duration;amount\nA-1;12;2000\nA-2;12;10\n"


def _certified(world: World) -> tuple[str, str, Path]:
    study, certificate = certified_study(world)
    path = world.folder / "cases.csv"
    path.write_text(CSV, "utf-8-sig")
    return study.study_id.hex(), certificate.hex(), path


def test_init_makes_what_is_missing_and_keeps_what_is_there(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    before = world.parties[M].descriptor()
    world.parties[M].config.own_public.unlink()
    assert main([*config_of(world), "init"]) == 0
    assert parse_descriptor(world.parties[M].config.own_public.read_bytes()) == before
    assert "ready" in capsys.readouterr().out


def test_a_link_in_the_descriptors_place_is_not_followed(world: World, tmp_path: Path) -> None:
    own_public, other = world.parties[M].config.own_public, tmp_path / "of somebody else"
    other.write_text("kept", "utf-8")
    own_public.unlink()
    own_public.symlink_to(other)
    assert main([*config_of(world), "init"]) == 0
    assert other.read_text("utf-8") == "kept"
    assert not own_public.is_symlink()
    assert own_public.stat().st_mode & 0o777 == 0o644
    assert parse_descriptor(own_public.read_bytes()) == world.parties[M].descriptor()


def test_a_new_approver_is_published_and_its_key_is_private(world: World, tmp_path: Path) -> None:
    out = tmp_path / "approver.json"
    assert main([*config_of(world), "make-approver", str(out)]) == 0
    assert out.stat().st_mode & 0o777 == 0o600
    role, key = parse_approver_file(out.read_bytes())
    assert role is M
    published = parse_descriptor(world.parties[M].config.own_public.read_bytes())
    assert published.approvers[key.key_id] == key.public_bytes
    assert main([*config_of(world), "make-approver", str(out)]) == 1


def test_what_root_makes_belongs_to_the_owner_of_its_directory(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, tuple[int, int]] = {}
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        os, "chown", lambda path, *ids, **_: given.update({Path(path).name: (ids[0], ids[1])})
    )
    config = world.parties[M].config
    config.own_public.unlink()
    assert main([*config_of(world), "make-approver", str(tmp_path / "approver.json")]) == 0
    place = config.data_dir.stat()
    kept = {name.split(".json")[0].lstrip(".") for name in given}
    assert kept == {"approver", "approvers", "public"}
    assert set(given.values()) == {(place.st_uid, place.st_gid)}


def test_init_makes_no_new_key_that_studies_rest_on(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = world.parties[M].config.data_dir / "keys"
    world.open_study()
    for name in ("signing.key", "storage.key"):
        kept = (keys / name).read_bytes()
        (keys / name).unlink()
        assert main([*config_of(world), "init"]) == 1
        assert f"KEY_OF_STUDIES_MISSING: {name} is missing" in capsys.readouterr().err
        assert not (keys / name).exists()
        write_private(keys / name, kept)
    assert main([*config_of(world), "init"]) == 0


def test_public_and_status_print_what_everyone_may_know(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*config_of(world), "public"]) == 0
    assert parse_descriptor(capsys.readouterr().out) == world.parties[M].descriptor()
    assert main([*config_of(world), "status"]) == 0
    assert json.loads(capsys.readouterr().out)["role"] == "modeler"


def test_decide_writes_a_signed_record_for_each_case(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, certificate, csv = _certified(world)
    command = [*config_of(world), "decide", "--study", study, "--certificate", certificate]
    command += ["--csv", str(csv), "--out", str(tmp_path / "out")]
    assert main(command) == 0
    assert '2 decisions, 1 "good credit"' in capsys.readouterr().out
    files = sorted((tmp_path / "out").glob("*.json"))
    assert [path.name for path in files] == ["A-1.json", "A-2.json"]
    pictures = sorted((tmp_path / "out").glob("*.png"))
    assert [path.name for path in pictures] == ["A-1.png", "A-2.png"]
    assert {path.stat().st_mode & 0o777 for path in [*files, *pictures]} == {0o600}
    records = [
        parse_decision_record(json.loads(path.read_bytes()), world.signing_keys[M])
        for path in files
    ]
    assert [record.decision for record in records] == [1, 0]
    assert main(command) == 0
    files[0].write_text("{}")
    assert main(command) == 1
    assert "FILE_EXISTS" in capsys.readouterr().err


def test_a_fault_in_the_cases_is_named_and_nothing_is_signed(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, certificate, csv = _certified(world)
    csv.write_text(CSV.replace("2000", "many"))
    command = [*config_of(world), "decide", "--study", study, "--certificate", certificate]
    assert main([*command, "--csv", str(csv), "--out", str(tmp_path / "out")]) == 1
    error = capsys.readouterr().err
    assert "NOT_A_NUMBER" in error
    assert 'Row 2, column "amount"' in error
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("arguments", [["--study", "zz"], ["--certificate", "00" * 16]])
def test_wrong_ids_are_named(
    world: World, tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    study, certificate, csv = _certified(world)
    command = [*config_of(world), "decide", "--study", study, "--certificate", certificate]
    command += ["--csv", str(csv), "--out", str(tmp_path / "out"), *arguments]
    assert main(command) == 1
    assert capsys.readouterr().err


def test_a_missing_configuration_says_what_was_kept_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--config", str(tmp_path / "none.toml"), "status"]) == 1
    first, *rest = capsys.readouterr().err.splitlines()
    assert first.startswith("FILE_MISSING: ")
    words = words_of("FILE_MISSING")
    assert words is not None
    assert rest == [f"Kept: {words.kept}", f"Next: {words.next}"]


def test_a_party_that_was_never_made_says_so(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.parties[M].config.data_dir / "keys" / "signing.key").unlink()
    assert main([*config_of(world), "status"]) == 1
    assert "KEYSTORE_MISSING" in capsys.readouterr().err
