from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.error_words import words_of
from mpc_engine.party.commands import self_test as module
from mpc_engine.party.commands.self_test import self_test
from mpc_engine.party.studies.known_study import StudyState
from mpc_engine.party.zone.party import utc_now
from mpc_engine.roles import Role
from tests.builders.study_drafts import STUDY_ID
from tests.engine.party.world import World

M = Role.MODELER
_SOMEBODY = 54321


@pytest.fixture(autouse=True)
def _no_rehearsal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the rehearsal to the test with the real protocols: it compiles for long."""
    monkeypatch.setattr(module, "rehearse", lambda party: None)


@pytest.fixture(autouse=True)
def _present(world: World) -> None:
    """Let the world live now: certificates for the line are made by the real clock."""
    world.now = utc_now()


def _faults(world: World) -> dict[str, str]:
    findings = self_test(world.parties[M])
    return {finding.name: finding.sentence for finding in findings if not finding.passed}


def test_a_sound_party_has_no_faults(world: World) -> None:
    assert _faults(world) == {}


def test_a_key_that_others_may_read_is_found(world: World) -> None:
    world.parties[M].config.broker_url_file.chmod(0o644)
    assert "FILE_NOT_PRIVATE" in _faults(world)["keys"]
    words = words_of("FILE_NOT_PRIVATE")
    assert words is not None
    found = {finding.name: finding.next for finding in self_test(world.parties[M])}
    assert (found["keys"], found["clock"]) == (words.next, "")


def test_a_file_that_a_job_needs_and_its_user_cannot_read_is_found_and_named(world: World) -> None:
    approvers = world.parties[M].config.data_dir / "keys" / "approvers.json"
    with _as_another_user(world.folder):
        approvers.chmod(0o000)
        if os.geteuid() != 0:
            assert "FILE_NOT_READABLE" in _faults(world)["keys"]
        assert "approvers.json: not open" in _faults(world)["files"]
        approvers.chmod(0o600)
        assert _faults(world) == {}


def test_a_file_that_root_took_over_is_found_also_by_root(world: World) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    with _as_another_user(world.folder):
        approvers = world.parties[M].config.data_dir / "keys" / "approvers.json"
        os.chown(approvers, 0, 0)
        assert "approvers.json: not open" in _faults(world)["files"]
        assert os.geteuid() == 0


@contextmanager
def _as_another_user(folder: Path) -> Iterator[None]:
    """Let root's test parties belong to somebody else, as a zone's do; others are somebody."""
    if os.geteuid() != 0:
        yield
        return
    opened = [folder, *folder.parents]
    modes = {path: path.stat().st_mode for path in opened}
    for path in opened:
        path.chmod(path.stat().st_mode | 0o011)
    for path in folder.rglob("*"):
        os.chown(path, _SOMEBODY, _SOMEBODY)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.mark.parametrize("state", StudyState)
def test_another_signing_key_than_studies_name_is_found(world: World, state: StudyState) -> None:
    world.open_study()
    with world.parties[M].database.transaction() as connection:
        connection.execute("UPDATE studies SET state = ?", (state.value,))
    assert _faults(world) == {}
    world.parties[M].keys.signing = Ed25519SigningKey.generate(world.rng)
    sentence = _faults(world)["studies"]
    assert "SIGNING_KEY_OTHER" in sentence
    assert STUDY_ID.hex() in sentence


def test_a_descriptor_that_is_out_of_date_is_found(world: World) -> None:
    world.parties[M].keys.add_approver(world.approvers[Role.REGULATOR].public_bytes)
    assert "DESCRIPTOR_OUTDATED" in _faults(world)["own descriptor"]


def test_a_peer_that_is_missing_or_oneself_is_found(world: World) -> None:
    config = world.parties[M].config
    config.peer_public.write_bytes(config.own_public.read_bytes())
    assert "PEER_UNKNOWN" in _faults(world)["other party"]
    config.peer_public.unlink()
    assert "PEER_UNKNOWN" in _faults(world)["other party"]


@pytest.mark.parametrize("days", [-3, 4000])
def test_a_clock_out_of_the_certificates_dates_is_found(world: World, days: int) -> None:
    world.now += timedelta(days=days)
    assert "clock" in _faults(world)


def test_an_aes_kernel_that_computes_wrong_blocks_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "encrypt_blocks", lambda blocks, keys: blocks)
    assert "AES_WRONG" in _faults(world)["aes"]


def test_a_damaged_store_is_found(world: World) -> None:
    party = world.parties[M]
    party.database.close()
    party.database.path.write_bytes(b"no database" * 1000)
    assert "store" in _faults(world)
