from __future__ import annotations

from datetime import timedelta

import pytest

from mpc_engine.party import self_test as module
from mpc_engine.party.party import utc_now
from mpc_engine.party.self_test import self_test
from mpc_engine.roles import Role
from tests.engine.party.world import World

M = Role.MODELER


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
