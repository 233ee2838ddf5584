"""A party that deviates in a closing, whichever of the two, learns one bit at most, once.

It garbles, promises, commits and opens what it likes; the other one is the real one. Each test is
an attack that wins where one protection is taken out (`tools.mutants.closing_twice`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.commitments import COMMITMENT_BYTES, SALT_BYTES, commitment_to
from mpc_engine.crypto.digests import DIGEST_BYTES, sha256
from mpc_engine.errors import DecodeError, PeerTimeoutError
from mpc_engine.garbling import Evaluator, InstanceCounter, colour_bits
from mpc_engine.protocols import session
from mpc_engine.protocols.closing import equality, protocol
from mpc_engine.protocols.closing.circuit import validity_circuit
from mpc_engine.protocols.closing.equality import KeptPart
from mpc_engine.protocols.closing.one_run import OwnCircuit
from mpc_engine.protocols.ending.kept_ends import label_bytes
from mpc_engine.protocols.ending.signed_line import SignedLine
from mpc_engine.protocols.session import GarblerLine, GarblerSession
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import OTDirection, Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.ends import MemoryPart
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.wire.codec import length_prefixed
from tests.engine.hostile.closing_runs import CATEGORIES, CHOSEN, ClosingRun, held

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR
EITHER = pytest.mark.parametrize("deviator", Role)
_CIRCUIT = validity_circuit((CATEGORIES,))


def _is_by(session: GarblerLine, role: Role) -> bool:
    return session.sends is OTDirection.sent_by(role)


def test_honest_parties_open_the_same_hash_and_close() -> None:
    run = ClosingRun()
    assert run.codes() == {""}
    assert run.opened(M) == run.opened(R) != b""
    assert run.results[M].record_set == run.results[R].record_set
    assert not {*run.sent(M, ProtocolTag.CLOSING_COMMITMENT)} & {
        *run.sent(R, ProtocolTag.CLOSING_COMMITMENT)
    }


class _Reader:
    """A garbler whose tables make each output label say which category a person chose.

    It looks for tables under which all categories' labels have one colour, says that this colour
    stands for 1, and tries afterwards what everybody may have chosen.
    """

    def __init__(self, role: Role, monkeypatch: pytest.MonkeyPatch) -> None:
        self.role = role
        self.candidates: list[NDArray[np.uint64]] = []
        self._other: Any = None
        honest_garble = GarblerLine.garble
        honest_value = equality.value_of

        def garble(line: GarblerLine, circuit: Any, zero: NDArray[np.uint64]) -> Any:
            return (
                self._garble(line, zero)
                if _is_by(line, role)
                else honest_garble(line, circuit, zero)
            )

        def value_of(ctx: Any, lists: bytes, own: OwnCircuit, evaluated: Any) -> Any:
            if ctx.role is role:
                self._other = ctx.job_digest, lists, evaluated
            return honest_value(ctx, lists, own, evaluated)

        monkeypatch.setattr(GarblerLine, "garble", garble)
        monkeypatch.setattr(protocol, "value_of", value_of)

    def _garble(self, line: GarblerLine, zero: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Send garbage as tables; return labels whose colours decode as 1 for every category."""
        dice = np.random.default_rng(8)
        rows = np.eye(CATEGORIES, dtype=np.uint64)
        tables, labels = [], []
        for person in range(len(zero)):
            counter = InstanceCounter()
            counter.take(person)
            while True:
                table = dice.integers(0, 2**63, (1, _CIRCUIT.n_ands, 4)).astype(np.uint64)
                inputs = zero[person] ^ rows[:, :, None] * line.delta
                found = np.concatenate([self._output(line, table, one, person) for one in inputs])
                if len({int(colour) for colour in colour_bits(found)}) == 1:
                    break
            tables.append(table[0])
            labels.append(found)
        line.channel.send_array(OpTag.GARBLED_TABLES, np.stack(tables))
        self.candidates = labels
        return np.stack([found[:1] ^ line.delta for found in labels])

    @staticmethod
    def _output(
        line: GarblerLine, table: NDArray[np.uint64], inputs: NDArray[np.uint64], instance: int
    ) -> NDArray[np.uint64]:
        counter = InstanceCounter()
        counter.take(instance)
        evaluator = Evaluator(line.hash, counter=counter)
        return evaluator.evaluate(_CIRCUIT, np.ascontiguousarray(inputs[None]), table)[0]

    def read(self, opened: bytes) -> list[tuple[int, ...]]:
        """Return what everybody chose, by the hash that the other side opened."""
        job_digest, lists, evaluated = self._other
        found = []
        for guess in product(range(CATEGORIES), repeat=len(self.candidates)):
            mine = np.stack([self.candidates[i][z] for i, z in enumerate(guess)])
            labels = {self.role: mine, self.role.peer: evaluated.labels}
            parts = [label_bytes(labels[role]) for role in Role]
            ones = np.ones(len(guess), dtype=np.uint8).tobytes()
            hashed = length_prefixed(equality._HASHED, job_digest, lists, ones, *parts)
            found += [guess] if sha256(hashed) == opened else []
        return found


@EITHER
def test_answers_that_wrong_tables_put_into_labels_do_not_get_out(
    deviator: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack that read everybody in a closing: without promises all answers at once."""
    reader = _Reader(deviator, monkeypatch)
    run = ClosingRun()
    read = reader.read(run.opened(deviator.peer))
    assert CHOSEN not in read, "the deviating party read everybody"
    assert run.opened(deviator.peer)
    assert run.codes() == {"CLOSING_DISAGREED"}


def _spoilt(
    monkeypatch: pytest.MonkeyPatch,
    deviator: Role,
    tag: ProtocolTag,
    change: Callable[[bytes], bytes],
) -> None:
    """Let a party change the body of its message of the end before it signs it."""
    honest = SignedLine.signed

    def signed(line: SignedLine, number: ProtocolTag, body: bytes) -> bytes:
        if line._role is deviator and number == tag:
            body = change(body)
        return honest(line, number, body)

    monkeypatch.setattr(SignedLine, "signed", signed)


def _promises_of(body: bytes) -> NDArray[np.uint8]:
    promises = np.frombuffer(body[: 64 * len(CHOSEN)], dtype=np.uint8)
    return promises.reshape(len(CHOSEN), 2, 32).copy()


def _alike(body: bytes) -> bytes:
    promises = _promises_of(body)
    promises[:, 1] = promises[:, 0]
    return promises.tobytes() + body[promises.size :]


def _swapped(body: bytes) -> bytes:
    promises = _promises_of(body)
    return promises[:, ::-1].tobytes() + body[promises.size :]


_LIES: dict[str, Callable[[bytes], bytes]] = {
    "two labels promised alike": _alike,
    "promises swapped": _swapped,
    "promises of no label": lambda body: bytes([7]) * 192 + body[192:],
    "wrong decoding bits": lambda body: body[:-1] + bytes([body[-1] ^ 1]),
}


@EITHER
@pytest.mark.parametrize("lie", _LIES)
def test_every_lie_about_outputs_ends_as_a_disagreement(
    lie: str, deviator: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    _spoilt(monkeypatch, deviator, ProtocolTag.VALIDITY_PROMISES, _LIES[lie])
    run = ClosingRun()
    _require_disagreement(run)


def _require_disagreement(run: ClosingRun) -> None:
    assert run.codes() == {"CLOSING_DISAGREED"}
    assert not run.results
    assert run.opened(M) != run.opened(R)


@EITHER
def test_labels_under_random_offsets_end_as_a_disagreement(
    deviator: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = GarblerLine.garble

    def elsewhere(line: GarblerLine, *args: Any) -> NDArray[np.uint64]:
        zero: NDArray[np.uint64] = honest(line, *args)
        return zero ^ seeded_randomness(5).words(*zero.shape) if _is_by(line, deviator) else zero

    monkeypatch.setattr(GarblerLine, "garble", elsewhere)
    _require_disagreement(ClosingRun())


def _flipping(monkeypatch: pytest.MonkeyPatch, deviator: Role, people: list[int]) -> None:
    """Let a garbler flip two of its own bits: a row stays valid iff she chose one of the two."""
    honest = GarblerSession.enter_people

    def flipping(line: GarblerSession, keys: Any, bits: Any, *args: Any) -> NDArray[np.uint64]:
        if _is_by(line, deviator):
            bits = bits.copy()
            bits[people, :2] ^= 1
        return honest(line, keys, bits, *args)

    monkeypatch.setattr(GarblerSession, "enter_people", flipping)


@EITHER
@pytest.mark.parametrize("person", range(len(CHOSEN)))
def test_flipped_shares_tell_one_bit_and_change_no_cohort(
    person: int, deviator: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    _flipping(monkeypatch, deviator, [person])
    run = ClosingRun()
    if CHOSEN[person] < 2:
        assert run.codes() == {""}
        assert {outcome.n_invalid for outcome in run.results.values()} == {0}
    else:
        _require_disagreement(run)


@EITHER
def test_corrections_that_fail_for_one_bit_tell_that_bit_alone(
    deviator: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Selective failure: one wire's correction is wrong, so who holds 1 there gets no label."""
    honest = session.send_labels

    def wrong(channel: Any, tag: Any, hash_: Any, keys: Any, delta: Any, *numbers: Any) -> Any:
        if OTDirection(int(numbers[0][0]) >> 48) is not OTDirection.sent_by(deviator):
            return honest(channel, tag, hash_, keys, delta, *numbers)
        spoiling: Any = _Spoiling(channel)
        return honest(spoiling, tag, hash_, keys, delta, *numbers)

    monkeypatch.setattr(session, "send_labels", wrong)
    for seed in range(5, 9):
        records = held(seed)
        run = ClosingRun(records)
        bit = int(records[deviator.peer].low_bits[0, 0])
        assert run.codes() == {"CLOSING_DISAGREED" if bit else ""}


class _Spoiling:
    """A channel on which the first word of an array is another one."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def send_array(self, tag: int, array: NDArray[np.uint64]) -> None:
        changed = array.copy()
        changed[0, 0] ^= np.uint64(2)
        self._channel.send_array(tag, changed)


def test_a_copied_commitment_and_its_opening_are_no_equality(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The regulator's circuit drops whoever chose category 2; it copies what the modeler says."""
    _flipping(monkeypatch, R, list(range(len(CHOSEN))))
    taken: dict[int, bytes] = {}
    honest = SignedLine.take

    def take(line: SignedLine, tag: ProtocolTag, n_bytes: int) -> bytes:
        body = honest(line, tag, n_bytes)
        if line._role is R:
            taken[tag] = body
        return body

    monkeypatch.setattr(SignedLine, "take", take)
    for tag in (ProtocolTag.CLOSING_COMMITMENT, ProtocolTag.CLOSING_OPENING):
        _spoilt(monkeypatch, R, tag, lambda body, tag=tag: taken[tag])  # type: ignore[misc]
    run = ClosingRun()
    assert M not in run.results, "the regulator read who chose category 2"
    assert run.code(M) == "COMMITMENT_BROKEN"
    assert run.parts[M].is_opened


def test_a_commitment_that_waits_for_the_other_opening_gets_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The regulator would commit to what the modeler opens, in its own name."""
    _flipping(monkeypatch, R, list(range(len(CHOSEN))))
    honest = protocol.compare_runs

    def waiting(ctx: Any, terms: Any, signed: SignedLine, value: bytes, *kept: Any) -> None:
        if ctx.role is R:
            value = _early_opening(ctx.channel)[:DIGEST_BYTES] or value
        honest(ctx, terms, signed, value, *kept)

    monkeypatch.setattr(protocol, "compare_runs", waiting)
    run = ClosingRun()
    assert M not in run.results, "the regulator read who chose category 2"
    assert not run.opened(M)


def _early_opening(channel: Any) -> bytes:
    """Return an opening that comes behind the commitment before this side has committed."""
    commitment = channel.recv(ProtocolTag.CLOSING_COMMITMENT)
    try:
        early: bytes = channel.recv(ProtocolTag.CLOSING_OPENING, timeout_s=0.5)
    except PeerTimeoutError:
        early = b""
    honest = channel.recv

    def recv(tag: int, **options: Any) -> bytes:
        channel.recv = honest
        assert tag == ProtocolTag.CLOSING_COMMITMENT
        return bytes(commitment)

    channel.recv = recv
    return early


def test_a_commitment_tells_nothing_before_it_is_opened() -> None:
    """Unsalted, the regulator would try its own hash, and break the line for a fresh run."""
    run = ClosingRun()
    (message,) = run.sent(M, ProtocolTag.CLOSING_COMMITMENT)
    part = KeptPart.decode(run.parts[R].part)
    assert run.opened(M) == part.value
    for salt in (bytes(SALT_BYTES), part.salt):
        tried = commitment_to(equality._COMMITTED, part.job_digest, M, part.value, salt)
        assert tried != message[:COMMITMENT_BYTES], "the regulator knows before the opening"


@EITHER
@pytest.mark.parametrize(
    ("method", "missing"),
    [
        ("keep", ProtocolTag.CLOSING_COMMITMENT),
        ("note_opening", ProtocolTag.CLOSING_OPENING),
    ],
)
def test_nothing_leaves_that_could_not_be_kept(
    method: str, missing: ProtocolTag, deviator: Role
) -> None:
    """A disk that is full: neither commitment nor opening leaves before it is kept."""

    def full(*_: Any) -> None:
        raise DecodeError("The disk is full.")

    parts = {role: MemoryPart() for role in Role}
    setattr(parts[deviator], method, full)
    run = ClosingRun(parts=parts)
    assert run.code(deviator) == "NOT_DECODABLE"
    assert not run.sent(deviator, missing)


def test_a_kept_part_is_read_as_it_was_written_and_no_other_bytes_are_one() -> None:
    part = ClosingRun().parts[M].part
    assert KeptPart.decode(part).encode() == part
    assert "secret" in repr(KeptPart.decode(part))
    for broken in (b"", part[:-1], part + b"\0"):
        with pytest.raises(DecodeError):
            KeptPart.decode(broken)
