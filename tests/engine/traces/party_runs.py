"""Seeded runs of what parties say around a protocol, and of whole jobs between two real parties."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.policies.questions import QuestionEntry
from mpc_engine.control.post.line_report import Versions
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import ChannelClosedError
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.ledger.agreement import (
    LedgerView,
    compare_ledgers,
    receive_answer,
    send_answer,
)
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.line.handshake import own_hello, shake_hands
from mpc_engine.party.worker.line_check import meet
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.checkpoint import Checkpointing, TrainingState
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_job_pair
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.tls import LOOPBACK, write_identity
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.tls import TLSListener, connect_lines
from mpc_engine.transport.tls_stream import TLSStream
from mpc_engine.vocabulary.runs import QuestionKind, QuestionOutcome
from tests.engine.party.stories import (
    HALF,
    MODEL_ID,
    N_HALF,
    TERMS,
    certified_study,
    certify,
    challenge,
    close,
    closed_study,
    compile_kernels,
    hand_in,
    train,
    trainable_study,
    untold,
    verify,
)
from tests.engine.party.world import M, R, World
from tests.engine.protocols.running import run_protocol
from tests.engine.traces.recording import Recorder

Run = Callable[[Recorder], None]
_CODE = b"\xc0" * 32
"""Stands for the digest of the code, which every change of the code changes."""
_STUDY, _NOW = bytes(range(16)), datetime(2026, 1, 31, 12, tzinfo=UTC)


def _line_opening(recorder: Recorder) -> None:
    """Open both lines of a job by TLS and note the hellos within it."""
    write = TLSStream.write
    taps: dict[str, list[Any]] = {
        name: [recorder.tap(role), recorder.tap(role, "second line")]
        for name, role in (("server", R), ("client", M))
    }

    def noting(self: TLSStream, parts: tuple[memoryview, ...], deadline: float) -> None:
        taps[threading.current_thread().name].pop(0)(b"".join(parts))
        write(self, parts, deadline)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TLSStream, "write", noting)
        own, peer = (write_identity(Path(folder), role.value) for role in (R, M))
        with TLSListener(LOOPBACK, own[0], peer[1]) as listener:
            ends: list[StreamChannel] = []

            def serve() -> None:
                ends.extend(listener.accept_lines(2, timeout_s=30, session=b"s" * 32))

            def come() -> None:
                address = listener.address
                ends.extend(
                    connect_lines(address, peer[0], own[1], 2, timeout_s=30, session=b"s" * 32)
                )

            _together({"server": serve, "client": come})
        for end in ends:
            end.close()


def _handshake(recorder: Recorder) -> None:
    def side(ctx: JobContext) -> None:
        hello = own_hello(
            ctx.role,
            "specification",
            1,
            _CODE,
            refusal="",
            holds=b"h" * 32 if ctx.role is M else b"",
            now=_NOW,
            workers=2,
        )
        shake_hands(ctx.channel, hello, ctx.rng)

    run_protocol(side, side, tap=recorder.tap)


def _ledgers(recorder: Recorder) -> None:
    """Compare ledgers where one party is an entry ahead, and hand an answer over."""
    entry = QuestionEntry(
        _STUDY, QuestionKind.TRAINING, b"j" * 16, 0, b"c" * 32, 9, b"r" * 32, b"m" * 16, 4000
    )
    answer: JsonObject = {"verdict": "PASS"}
    ahead = LedgerView(entry, QuestionOutcome.ABORTED, answer, True, False)
    behind = LedgerView(None, None, None, False, True)

    def modeler(ctx: JobContext) -> None:
        compare_ledgers(ctx.channel, _STUDY, ahead)
        send_answer(ctx.channel, answer)

    def regulator(ctx: JobContext) -> None:
        peer, taken = compare_ledgers(ctx.channel, _STUDY, behind)
        assert taken == entry
        receive_answer(ctx.channel, peer.answer_digest)

    run_protocol(modeler, regulator, tap=recorder.tap)


def _together(sides: dict[str, Callable[[], None]]) -> None:
    """Run sides at once, each in a thread of its name."""
    threads = [threading.Thread(target=run, name=name, daemon=True) for name, run in sides.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()


@contextmanager
def _world() -> Iterator[World]:
    """Give two real parties whose keys and draws are seeded, and whose code has one digest."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for module in list(sys.modules.values()):
            if getattr(module, "code_digest", None) is code_digest:
                patch.setattr(module, "code_digest", lambda: _CODE)
        world = World(Path(folder))
        for number, party in enumerate(world.parties.values()):
            party.rng = seeded_randomness(50 + number)
            party.config = replace(party.config, stock_items=1, receive_limit_s=60)
        yield world
        for party in world.parties.values():
            party.database.close()


@contextmanager
def _noted(world: World, recorder: Recorder, seed: int) -> Iterator[None]:
    """Join the parties in memory, note what they send, and seed their draws anew."""
    ends = dict(
        zip(
            (M, R),
            memory_job_pair(
                timeout_s=60,
                taps=(recorder.tap(M), recorder.tap(R)),
                beside_taps=(recorder.tap(M, "second line"), recorder.tap(R, "second line")),
            ),
            strict=True,
        )
    )

    def open_lines(
        party: Party, peer: object, session: bytes, n_lines: int, **limits: float
    ) -> list[StreamChannel]:
        first = ends[party.role]
        return [first, first.beside][:n_lines]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mpc_engine.party.jobs.runner.open_lines", open_lines)
        patch.setattr("mpc_engine.party.worker.line_check.open_lines", open_lines)
        for number, party in enumerate(world.parties.values()):
            patch.setattr(party, "rng", seeded_randomness(100 * seed + number))
            patch.setattr(party, "offline_rng", seeded_randomness(100 * seed + 10 + number))
        yield


def _succeeded(reports: dict[Role, Any]) -> None:
    assert {report.kind for report in reports.values()} == {"job_result"}, reports


def _job_closing(recorder: Recorder) -> None:
    with _world() as world:
        study = world.open_study(n_invited=3)
        for number in range(3):
            world.submit(study, world.answer(study, number, answers=(number % 2, number)))
        with _noted(world, recorder, 1):
            _succeeded(close(world, study, PRODUCTION))


def _job_certification(recorder: Recorder) -> None:
    with _world() as world:
        study, record_set = closed_study(world, N_HALF, policy=HALF)
        hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
        with _noted(world, recorder, 2):
            _succeeded(certify(world, study, record_set, PRODUCTION))


def _job_training(recorder: Recorder) -> None:
    """Go on from a checkpoint, after an attempt that broke when both had kept their second."""
    second = threading.Barrier(2)

    def breaking(given: tuple[Any, ...]) -> tuple[Any, ...]:
        *others, checkpoints = given
        kept: list[int] = []

        def keep(spec: TrainingSpec, state: TrainingState) -> None:
            checkpoints.keep(spec, state)
            kept.append(state.step)
            if len(kept) == 2:
                second.wait(60)
                raise ChannelClosedError("cut")

        return (*others, Checkpointing(checkpoints.start, keep, checkpoints.opening))

    table = replace(
        PRODUCTION,
        train_as_modeler=lambda *given: PRODUCTION.train_as_modeler(*breaking(given)),
        train_as_regulator=lambda *given: PRODUCTION.train_as_regulator(*breaking(given)),
    )
    terms = replace(TERMS, steps=5)
    with _world() as world:
        study, record_set = trainable_study(world)
        with _noted(world, Recorder(), 3):
            reports = train(world, study, record_set, table, terms=terms)
            assert {report.kind for report in reports.values()} == {"job_failed"}
        with _noted(world, recorder, 4):
            _succeeded(train(world, study, record_set, PRODUCTION, attempt=1, terms=terms))


def _meet(world: World) -> None:
    versions = Versions("bj1", _CODE.hex())

    def side(party: Party) -> Callable[[], None]:
        return lambda: meet(party, b"m" * 16, versions, untold)

    compile_kernels()
    _together({role.value: side(party) for role, party in world.parties.items()})


def _verified(world: World, certified: tuple[Configuration, bytes], *challenges: bytes) -> None:
    study, certificate_id = certified
    for number, challenge_id in enumerate(challenges):
        challenge(world, study, certificate_id, challenge_id, decision=number % 2)
    _succeeded(verify(world, study, certificate_id, challenges, PRODUCTION))


def _meeting(recorder: Recorder) -> None:
    with _world() as world:
        certified_study(world, typed_challenge_limit=1000)
        with _noted(world, recorder, 5):
            _meet(world)


def _job_verification(*, with_stock: bool) -> Run:
    def run(recorder: Recorder) -> None:
        with _world() as world:
            certified = certified_study(world, typed_challenge_limit=1000)
            if with_stock:
                with _noted(world, Recorder(), 5):
                    _meet(world)
            with _noted(world, recorder, 6):
                _verified(world, certified, b"1" * 16, b"2" * 16)

    return run


PARTY_RUNS: dict[str, Run] = {
    "opening of two lines": _line_opening,
    "handshake of a job": _handshake,
    "comparison of ledgers": _ledgers,
    "job: closing": _job_closing,
    "job: certification": _job_certification,
    "job: training from a checkpoint": _job_training,
    "meeting that makes stock": _meeting,
    "job: verification without stock": _job_verification(with_stock=False),
    "job: verification from stock": _job_verification(with_stock=True),
}
"""Every run by its name."""
