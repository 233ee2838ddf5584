"""A line cut at every message, then a retry: nothing of the first attempt is used again.

Over both transcripts together no mask, label, (delta, tweak), circuit instance under a hash key and
no block on the wire occurs twice. Source: the one-use rule of half gates and OT extension: a
circuit garbled once and evaluated on two inputs gives delta away.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.ledger import entries
from mpc_engine.protocols import session
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.leakage.transcripts import Attempts, Cut, Line, repeats
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    HALF,
    N_HALF,
    certify,
    challenge,
    close,
    closed_study,
    compile_kernels,
    hand_in,
    verify,
)
from tests.engine.party.world import M, R, World

pytestmark = pytest.mark.slow

Run = Callable[[int], dict[Role, Heard]]


def _id(kind: str, number: object) -> bytes:
    return hashlib.sha256(f"{kind} {number}".encode()).digest()[:16]


def _states(world: World, job_id: bytes) -> dict[Role, list[str]]:
    """Return the states of a job's attempts at each party, in order."""
    found = {}
    for role, party in world.parties.items():
        with party.database.reading() as connection:
            rows = connection.execute(
                "SELECT state FROM attempts WHERE job_id = ? ORDER BY attempt", (job_id,)
            ).fetchall()
        found[role] = [str(row["state"]) for row in rows]
    return found


def _certificates(world: World, model_id: bytes) -> dict[Role, set[str]]:
    """Return the certificates each party holds of a model."""
    found = {}
    for role, party in world.parties.items():
        with party.database.reading() as connection:
            rows = connection.execute(
                "SELECT text FROM certificates WHERE model_id = ?", (model_id,)
            ).fetchall()
        found[role] = {str(row["text"]) for row in rows}
    return found


def _lift_limits(world: World) -> None:
    for party in world.parties.values():
        party.config = replace(party.config, question_bits_limit=100_000, receive_limit_s=5)


def _cut_and_retried(attempts: Attempts, run: Run, job_id: bytes, cut_at: int) -> dict[str, int]:
    """Cut an attempt, retry it to its end, and return what both have in common."""
    world = attempts.world
    with attempts.noted(cut_at) as cut:
        first = run(0)
    assert "job_failed" in {report.kind for report in first.values()}
    with attempts.noted() as whole:
        second = run(1)
    assert {report.kind for report in second.values()} == {"job_result"}, second
    for states in _states(world, job_id).values():
        assert states[0] in ("FAILED", "DONE")
        assert states[1:] == ["DONE"]
    return repeats(cut.transcript, whole.transcript)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return both parties, freshly made."""
    compile_kernels()
    return World(tmp_path)


@pytest.fixture
def closed(world: World, monkeypatch: pytest.MonkeyPatch) -> tuple[Configuration, bytes]:
    """Return a closed study whose limits no test reaches, and its record set."""
    _lift_limits(world)
    monkeypatch.setattr(entries, "most_certifications", lambda *_: 1000)
    return closed_study(
        world,
        N_HALF,
        PRODUCTION,
        policy=HALF,
        question_bits_limit=10_000,
        typed_challenge_limit=1000,
    )


def _certification(world: World, closed: tuple[Configuration, bytes], number: object) -> Run:
    """Return how to certify a fresh model, attempt by attempt."""
    study, record_set = closed
    model_id, job_id = _id("model", number), _id("certification", number)
    hand_in(world, study, model_id, "0", "0.001", intercept="-1")
    return lambda attempt: certify(
        world, study, record_set, PRODUCTION, attempt, model_id=model_id, job_id=job_id
    )


def _whole(attempts: Attempts, run: Run) -> Line:
    """Run an attempt that nobody cuts, and return what it carried."""
    with attempts.noted() as line:
        reports = run(0)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert repeats(line.transcript) == {}
    assert line.transcript.deltas
    assert line.transcript.labels
    assert line.base_ots
    return line


def test_certification_cut_at_every_message_uses_nothing_twice(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = Attempts(world, monkeypatch)
    whole = _whole(attempts, _certification(world, closed, "whole"))
    assert whole.n_messages > 30
    for cut_at in range(whole.n_messages):
        attempts.base_ots_are_ideal = Cut(cut_at) not in whole.base_ots
        run = _certification(world, closed, cut_at)
        job_id, model_id = _id("certification", cut_at), _id("model", cut_at)
        assert _cut_and_retried(attempts, run, job_id, cut_at) == {}, cut_at
        held = _certificates(world, model_id)
        assert held[M] == held[R]
        assert len(held[R]) == 1


def _verification(world: World, study: Configuration, certificate_id: bytes, number: object) -> Run:
    """Return how to answer a fresh challenge, attempt by attempt."""
    challenge_id, job_id = _id("challenge", number), _id("verification", number)
    accepted = challenge(world, study, certificate_id, challenge_id)
    assert accepted.kind == "challenge_accepted"
    return lambda attempt: verify(
        world, study, certificate_id, [challenge_id], PRODUCTION, attempt, job_id=job_id
    )


def test_verification_cut_at_every_message_uses_nothing_twice(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    study, _ = closed
    attempts = Attempts(world, monkeypatch)
    outcome = _certification(world, closed, "certified")(0)[R].object("outcome")
    certificate_id = bytes.fromhex(json.loads(str(outcome["certificate"]))["certificate_id"])
    whole = _whole(attempts, _verification(world, study, certificate_id, "whole"))
    assert whole.n_messages > 10
    for cut_at in range(whole.n_messages):
        attempts.base_ots_are_ideal = Cut(cut_at) not in whole.base_ots
        run = _verification(world, study, certificate_id, cut_at)
        assert _cut_and_retried(attempts, run, _id("verification", cut_at), cut_at) == {}, cut_at
        with world.parties[R].database.reading() as connection:
            query = "SELECT outcome FROM challenges WHERE challenge_id = ?"
            row = connection.execute(query, (_id("challenge", cut_at),)).fetchone()
        assert row["outcome"] == "CONFIRMED"


def test_closing_cut_at_every_message_uses_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_kernels()

    def opened(name: str) -> tuple[Attempts, Run]:
        (tmp_path / name).mkdir()
        world = World(tmp_path / name)
        _lift_limits(world)
        study = world.open_study(n_invited=2)
        for number in range(2):
            world.submit(study, world.answer(study, number, answers=(number, number)))
        run: Run = lambda attempt: close(world, study, PRODUCTION, attempt=attempt)  # noqa: E731
        return Attempts(world, monkeypatch), run

    whole = _whole(*opened("whole"))
    assert whole.n_messages > 10
    for cut_at in range(whole.n_messages):
        attempts, run = opened(str(cut_at))
        attempts.base_ots_are_ideal = Cut(cut_at) not in whole.base_ots
        assert _cut_and_retried(attempts, run, b"j" * 16, cut_at) == {}, cut_at
        with attempts.world.parties[R].database.reading() as connection:
            rows = connection.execute("SELECT state, n_records FROM studies").fetchall()
        assert [tuple(row) for row in rows] == [("CLOSED", 2)]


class _Stuck:
    """A source whose first block comes again in every attempt: a delta kept for the retry."""

    def __init__(self) -> None:
        self._source = system_randomness()
        self._kept: NDArray[np.uint64] | None = None

    def bytes(self, n: int) -> bytes:
        return self._source.bytes(n)

    def words(self, *shape: int) -> NDArray[np.uint64]:
        words = self._source.words(*shape)
        if shape == (2,):
            words = words if self._kept is None else self._kept.copy()
            self._kept = words.copy()
        return words

    def bits(self, n: int) -> NDArray[np.uint8]:
        return self._source.bits(n)


def _seeded(attempts: Attempts) -> None:
    attempts.randomness = lambda role: seeded_randomness(len(role.value))


def _session_from_job(attempts: Attempts) -> None:
    def without_nonces(ctx: Any) -> bytes:
        return hashlib.sha256(_id("certification", "mutant")).digest()

    attempts.patch.setattr(session, "_session_id", without_nonces)


def _kept_delta(attempts: Attempts) -> None:
    kept = {role: _Stuck() for role in Role}
    attempts.randomness = lambda role: kept[role]


@pytest.mark.parametrize(
    ("mutate", "noticed"),
    [
        pytest.param(
            _seeded,
            {"draw", "block on the wire", "delta", "delta and tweak", "label"},
            id="the source starts from a seed",
        ),
        pytest.param(
            _session_from_job,
            {"hash key", "circuit instance", "tweak under a hash key"},
            id="the session hangs on the job alone",
        ),
        pytest.param(_kept_delta, {"delta", "delta and tweak"}, id="delta is kept for the retry"),
    ],
)
def test_a_retry_on_old_material_is_noticed(
    world: World,
    closed: tuple[Configuration, bytes],
    monkeypatch: pytest.MonkeyPatch,
    mutate: Callable[[Attempts], None],
    noticed: set[str],
) -> None:
    """The three tests above would fail if a retry used a seed, a session or a delta again."""
    attempts = Attempts(world, monkeypatch)
    whole = _whole(attempts, _certification(world, closed, "whole"))
    mutate(attempts)
    run = _certification(world, closed, "mutant")
    found = _cut_and_retried(attempts, run, _id("certification", "mutant"), whole.end_at)
    assert noticed <= set(found)


def test_an_order_delivered_twice_draws_nothing(
    world: World, closed: tuple[Configuration, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = Attempts(world, monkeypatch)
    run = _certification(world, closed, "once")
    first = run(0)
    with attempts.noted() as line:
        again = run(0)
    kinds = {report.kind for report in first.values()}
    assert kinds == {"job_result"}
    assert {role: again[role].body for role in again} == {role: first[role].body for role in first}
    assert line.n_messages == 0
    assert not list(line.transcript.draws())


@pytest.mark.parametrize("restored", [(M,), (R,), (M, R)], ids=lambda roles: "+".join(roles))
@pytest.mark.parametrize("same_attempt", [True, False], ids=["same attempt", "next attempt"])
def test_a_store_set_back_replays_nothing(
    world: World,
    closed: tuple[Configuration, bytes],
    monkeypatch: pytest.MonkeyPatch,
    restored: tuple[Role, ...],
    same_attempt: bool,
) -> None:
    """A copy of the data directory put back: the attempt's row is gone, its material stays used."""
    attempts = Attempts(world, monkeypatch)
    run = _certification(world, closed, "set back")
    for role in restored:
        _copy(world, role, world.folder / f"copy of {role.value}")
    with attempts.noted(20) as cut:
        run(0)
    for role in restored:
        _put_back(world, role, world.folder / f"copy of {role.value}")
    with attempts.noted() as again:
        reports = run(0 if same_attempt else 1)
    assert repeats(cut.transcript, again.transcript) == {}
    if same_attempt and restored != (M, R):
        assert "job_result" not in {report.kind for report in reports.values()}


def _copy(world: World, role: Role, target: Path) -> None:
    world.parties[role].database.close()
    shutil.copytree(world.parties[role].config.data_dir, target)


def _put_back(world: World, role: Role, source: Path) -> None:
    data = world.parties[role].config.data_dir
    world.parties[role].database.close()
    shutil.rmtree(data)
    shutil.copytree(source, data)
