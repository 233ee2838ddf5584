"""A regulator that deviates, at the end of a certification or a verification, is told nothing.

It garbles, corrects, promises and opens what it likes; the modeler is the real one. Each test is an
attack that wins where one protection is taken out (`tools.mutants.ending`).
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.commitments import commitment_to, require_opening
from mpc_engine.errors import (
    BrokenCommitmentError,
    EngineError,
)
from mpc_engine.garbling import promises as label_promises
from mpc_engine.params import MAC_PRIME
from mpc_engine.protocols.ending import purposes
from mpc_engine.protocols.ending import regulator as regulators_end
from mpc_engine.protocols.ending.kept_ends import RegulatorEnd, label_bytes
from mpc_engine.protocols.session import GarblerLine, GarblerSession
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.secure_ops import row_sums
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.vocabulary.verdicts import Verdict
from tests.engine.hostile.ending_cases import (
    CHALLENGED,
    COVARIANCE,
    HELD,
    N_PEOPLE,
    RATES,
    THETA,
)
from tests.engine.hostile.ending_runs import EVERY_KIND, Run, require_nothing_told

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR


@EVERY_KIND
def test_labels_under_random_offsets_are_not_returned(
    spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack that reads everybody in a closing: zero and one labels that R alone knows."""
    honest = GarblerLine.garble

    def elsewhere(self: GarblerLine, *args: Any) -> NDArray[np.uint64]:
        zero: NDArray[np.uint64] = honest(self, *args)
        return zero ^ seeded_randomness(5).words(*zero.shape)

    monkeypatch.setattr(GarblerLine, "garble", elsewhere)
    run = Run(spec)
    assert run.code(M) == "PROMISE_BROKEN"
    assert run.code(R) == "PROMISE_DISPUTED"
    require_nothing_told(run)


@EVERY_KIND
def test_labels_from_wrong_tables_are_not_returned(
    spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = GarblerLine.garble
    tables = []

    def wrong(self: GarblerLine, circuit: Any, zero: NDArray[np.uint64]) -> NDArray[np.uint64]:
        send = self.channel.send_array

        def spoilt(tag: int, array: NDArray[np.uint64]) -> None:
            tables.append(array.shape)
            send(tag, array ^ np.uint64(1 << 17))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.channel, "send_array", spoilt)
            return honest(self, circuit, zero)

    monkeypatch.setattr(GarblerLine, "garble", wrong)
    run = Run(spec)
    assert tables
    assert run.code(M) == "PROMISE_BROKEN"
    require_nothing_told(run)


@EVERY_KIND
def test_two_labels_that_are_promised_alike_are_refused_by_name(
    spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = regulators_end.make_promises

    def alike(*args: Any) -> NDArray[np.uint8]:
        promises: NDArray[np.uint8] = honest(*args).copy()
        promises[-1, 1] = promises[-1, 0]
        return promises

    monkeypatch.setattr(regulators_end, "make_promises", alike)
    run = Run(spec)
    assert run.code(M) == "PROMISES_ALIKE"
    assert run.code(R) == "PROMISE_DISPUTED"
    require_nothing_told(run)


def _out_of_the_proof(run: Run) -> int:
    """Return what corrections have put into the proof, as the regulator reads it; 0 if nothing."""
    opened = [
        message
        for message in run.sent(M, ProtocolTag.PROOF_OPENING)
        if message[:1] == purposes.GOES_ON
    ]
    if not opened:
        return 0
    (expected,) = run.sent(R, ProtocolTag.EXPECTED_PROOF)
    numbers = (int.from_bytes(part, "little") for part in (expected[:8], opened[0][1:9]))
    difference = next(numbers) - next(numbers)
    return min(difference % MAC_PRIME, -difference % MAC_PRIME)


def test_people_put_into_the_proof_by_corrections_do_not_get_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """MAC corrections that add 2^i a_i: the modeler's proof holds the bits of all people."""
    honest = row_sums.send_rows
    n_sent = 0

    def with_bits(*args: Any, **options: Any) -> Any:
        nonlocal n_sent
        payload, macs, kept, kept_macs = honest(*args, **options)
        powers = np.uint64(1) << np.arange(n_sent, n_sent + len(macs), dtype=np.uint64)
        n_sent += len(macs)
        return payload, (macs + powers) % np.uint64(MAC_PRIME), kept, kept_macs

    monkeypatch.setattr(row_sums, "send_rows", with_bits)
    run = Run(COVARIANCE)
    read = _out_of_the_proof(run)
    held = HELD[0].low_bits[:, :2].T.reshape(-1)
    told = [read >> place & 1 for place in range(n_sent)] == held.tolist()
    assert not told, f"the regulator read {n_sent} of {len(held)} bits"
    assert n_sent == 2 * N_PEOPLE
    assert run.code(M) == run.code(R) == "PROOF_DISPUTED"
    require_nothing_told(run)


def test_a_model_put_into_the_proof_by_corrections_does_not_get_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """MAC corrections of chunks that add 4^k D: 60 bits of theta."""
    honest = StreamChannel.send_array
    n_chunks = 0

    def with_digits(self: StreamChannel, tag: int, array: NDArray[Any]) -> None:
        nonlocal n_chunks
        if tag == OpTag.CHUNK_MACS:
            places = np.arange(n_chunks, n_chunks + len(array))
            weights = np.where(places < 30, 4 ** np.minimum(places, 29), 0).astype(np.uint64)
            n_chunks += len(array)
            digits = np.arange(1, 4, dtype=np.uint64)
            added = weights[:, None] * digits % np.uint64(MAC_PRIME)
            array = (array + added) % np.uint64(MAC_PRIME)
        honest(self, tag, array)

    monkeypatch.setattr(StreamChannel, "send_array", with_digits)
    run = Run(RATES)
    read = _out_of_the_proof(run)
    model = sum((value & 0xFFFFFF) << 24 * place for place, value in enumerate(THETA))
    told = read == model & ((1 << 60) - 1)
    assert not told, "the regulator read 60 bits of theta"
    assert n_chunks == 36
    assert run.code(M) == run.code(R) == "PROOF_DISPUTED"
    require_nothing_told(run)


def test_a_commitment_to_labels_cannot_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The regulator knows both labels of every wire: without salt it tries all outcomes."""
    honest = regulators_end.end_as_regulator
    labels: list[NDArray[np.uint64]] = []

    def noting(ctx: Any, kind: Any, line: Any, zero: NDArray[np.uint64], *args: Any) -> Any:
        labels.append(np.stack([zero, zero ^ line.delta], axis=1))
        return honest(ctx, kind, line, zero, *args)

    monkeypatch.setattr("mpc_engine.protocols.verification.protocol.end_as_regulator", noting)
    run = Run(CHALLENGED)
    (message,) = run.sent(M, ProtocolTag.END_COMMITMENTS)
    kept = RegulatorEnd.decode(run.ends[R].kept)
    found = []
    for bits in product((0, 1), repeat=len(kept.decoding)):
        tried = label_bytes(labels[0][np.arange(len(bits)), list(bits)])
        for salt in (bytes(32), b"\1" * 32):
            made = commitment_to(purposes.TO_LABELS, kept.job_digest, M, tried, salt)
            found += [bits] if made == message[1:33] else []
    assert not found, "the regulator found the outcome"


@pytest.mark.parametrize("copied_from", Role)
def test_a_copied_commitment_opens_for_nobody_but_who_made_it(copied_from: Role) -> None:
    job, salt, content = b"j" * 32, b"s" * 32, b"the same on both sides"
    made = commitment_to(purposes.TO_LABELS, job, copied_from, content, salt)
    require_opening(made, purposes.TO_LABELS, job, copied_from, content, salt)
    for changed in (
        (purposes.TO_LABELS, job, copied_from.peer, content, salt),
        (purposes.TO_PROOF, job, copied_from, content, salt),
        (purposes.TO_LABELS, b"k" * 32, copied_from, content, salt),
        (purposes.TO_LABELS, job, copied_from, content + b"!", salt),
        (purposes.TO_LABELS, job, copied_from, content, b"t" * 32),
    ):
        with pytest.raises(BrokenCommitmentError):
            require_opening(made, *changed)


@pytest.mark.parametrize(
    "lie", ["a signature bit", "another threshold", "a bit that is two"], ids=lambda lie: lie
)
def test_an_outcome_that_no_cohort_has_is_refused_and_no_label_returned(
    lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wires that say something of M's secrets: the circuit and the decoding bits are R's choice."""
    honest = regulators_end.colour_bits

    def lying(zero: NDArray[np.uint64]) -> NDArray[np.uint8]:
        decoding: NDArray[np.uint8] = honest(zero).copy()
        if lie == "a signature bit":
            decoding[-3] ^= 1
        elif lie == "another threshold":
            decoding[0] ^= 1
        else:
            decoding[-3] ^= 2
        return decoding

    monkeypatch.setattr(regulators_end, "colour_bits", lying)
    run = Run(RATES)
    assert run.code(M) == "OUTCOME_IMPLAUSIBLE"
    assert run.code(R) == "REFUSED"
    (answer,) = run.sent(M, ProtocolTag.LABELS_OPENING)
    assert answer[:1] == purposes.STOPS
    assert not any(answer[1:-64])


def test_other_decoding_bits_than_were_committed_to_are_no_message_of_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = regulators_end._send_promises

    def changed(*args: Any) -> bytes:
        opening = bytearray(honest(*args))
        opening[0] ^= 1
        return bytes(opening)

    monkeypatch.setattr(regulators_end, "_send_promises", changed)
    run = Run(RATES)
    assert run.code(M) == "COMMITMENT_BROKEN"
    _nothing_was_labelled(run)


def _nothing_was_labelled(run: Run) -> None:
    assert not run.sent(M, ProtocolTag.LABELS_OPENING)
    assert not run.ends[M].is_answering


def test_the_regulator_holds_no_delta_when_decoding_bits_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: list[GarblerSession] = []
    honest = regulators_end.deliver_as_regulator
    conclude = regulators_end.end_as_regulator

    def noting(ctx: Any, kind: Any, line: Any, *args: Any) -> Any:
        lines.append(line)
        return conclude(ctx, kind, line, *args)

    def delivering(*args: Any) -> Any:
        assert not lines[0].delta.any()
        assert not lines[0].garbler._delta.any()
        return honest(*args)

    monkeypatch.setattr("mpc_engine.protocols.certification.ending.end_as_regulator", noting)
    monkeypatch.setattr(regulators_end, "deliver_as_regulator", delivering)
    run = Run(COVARIANCE)
    assert run.results[R].verdict in set(Verdict)
    assert lines


def test_promises_of_another_wire_job_or_garbler_are_other_promises() -> None:
    dice = seeded_randomness(3)
    zero, delta = dice.words(5, 2), dice.words(2) | np.uint64(1)
    made = label_promises.make_promises(zero, delta, b"j" * 32)
    assert made.shape == (5, 2, 32)
    for labels in (zero, zero ^ delta):
        label_promises.require_promised(labels, made, b"j" * 32)
        bits = label_promises.promised_colours(labels, made, b"j" * 32)
        assert bits.tolist() == [int(label[0]) & 1 for label in labels]
    alike = label_promises.make_promises(np.repeat(zero[:1], 5, axis=0), delta, b"j" * 32)
    assert len(np.unique(alike.reshape(-1, 32), axis=0)) == 10
    for labels, promised, job, garbler in (
        (zero[::-1], made, b"j" * 32, R),
        (zero, made[:, ::-1], b"j" * 32, R),
        (zero, made, b"k" * 32, R),
        (zero, made, b"j" * 32, M),
    ):
        with pytest.raises(EngineError):
            label_promises.require_promised(labels, promised, job, garbler)
        with pytest.raises(EngineError):
            label_promises.promised_colours(labels, promised, job, garbler)
