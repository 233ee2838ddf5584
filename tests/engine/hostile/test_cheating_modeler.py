"""A modeler that cheats in certification gets a typed failure, never a verdict.

The cheats change functions that only the modeler's side calls, so that the regulator under attack
is the real one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import CheckFailedError, RefusedError, SumMismatchError
from mpc_engine.garbling import Evaluator
from mpc_engine.protocols import both_ways, session
from mpc_engine.protocols.certification import ending, protocol, scores
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import CertificationSpec
from mpc_engine.protocols.certification.tally import ModelerTally
from mpc_engine.protocols.certification.tally_circuit import TallyPlan, tally_circuit
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import OTDirection, Role
from mpc_engine.secure_ops.keyed_product import ReceiverSeeds
from mpc_engine.secure_ops.person_locks import chooser_item_keys, sender_item_keys
from mpc_engine.secure_ops.row_sums import ReceiverSums
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.vocabulary.rates import Count
from mpc_engine.vocabulary.verdicts import Verdict
from tests.builders.certification_specs import certification_spec, covariance, p_rule
from tests.engine.hostile.cheating import never_stop
from tests.engine.protocols.both_sides import certify_on_both_sides
from tests.engine.protocols.running import job_context

pytestmark = pytest.mark.usefixtures("ideal_base_ots")


@pytest.fixture(autouse=True)
def _never_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the modeler of these tests go on where an honest one stops."""
    never_stop(monkeypatch)


_THETA = [0, 1 << 18, -(1 << 17)]
_N = 24
_COVARIANCE = covariance(Fraction(1, 100))
_P_RULE = p_rule(80)
_SPEC = certification_spec(_COVARIANCE)


def _records() -> tuple[HeldRecords, HeldRecords, NDArray[np.int64]]:
    rng = np.random.default_rng(4)
    choices = (np.arange(_N) % 2)[:, None]
    features = rng.integers(-512, 513, (_N, 2))
    features[:, 0] = np.where(choices[:, 0] == 0, 500, -500)
    features[:2, 0] *= -1
    modeler, regulator = deal_records(one_hot(choices, (3,)), features, seeded_randomness(9))
    return modeler, regulator, features


_P_RULE_SPEC = replace(_SPEC, criteria=(_P_RULE,))


def _run(
    modeler: HeldRecords, regulator: HeldRecords, spec: CertificationSpec = _SPEC
) -> tuple[Any, Any]:
    return certify_on_both_sides(spec, modeler, regulator, _THETA, bytes(32))


@pytest.mark.parametrize("spec", [_SPEC, _P_RULE_SPEC], ids=["covariance", "p_rule"])
def test_the_model_of_these_tests_fails_when_nobody_cheats(spec: CertificationSpec) -> None:
    modeler, regulator, _ = _records()
    outcomes = _run(modeler, regulator, spec)
    assert outcomes[0].verdict is outcomes[1].verdict is Verdict.FAIL


@pytest.mark.parametrize("name", ["by one", "top bit", "row times 1000", "a count"])
def test_altered_sums_are_caught_before_anything_is_decoded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    modeler, regulator, features = _records()
    width = _SPEC.row_width(_N)
    honest = both_ways.recv_row_sums

    def altered(*args: Any) -> ReceiverSums:
        received: ReceiverSums = honest(*args)
        v = received.v.copy()
        if name == "by one":
            v[0, 0] += np.uint64(1)
        elif name == "top bit":
            v[0, 0] ^= np.uint64(1 << (width - 1))
        elif name == "row times 1000":
            v[0, :2] += (features[0] * 1000).astype(np.uint64) & np.uint64((1 << width) - 1)
        else:
            v[1, 2] += np.uint64(3)
        return replace(received, v=v)

    monkeypatch.setattr(both_ways, "recv_row_sums", altered)
    with pytest.raises(SumMismatchError):
        _run(modeler, regulator)


def test_altered_sums_with_a_guessed_proof_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    modeler, regulator, _ = _records()
    _spoil_the_proof(monkeypatch)
    with pytest.raises(SumMismatchError):
        _run(modeler, regulator)


@pytest.mark.parametrize("name", ["by one", "top bit", "everybody selected"])
def test_altered_scores_are_caught_before_anything_is_decoded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    modeler, regulator, _ = _records()
    width = scores.score_shape(_P_RULE_SPEC).width
    honest = session.recv_keyed_products

    def altered(*args: Any) -> tuple[NDArray[np.uint64], int]:
        v, t = honest(*args)
        if name == "by one":
            v[5] += np.uint64(1)
        elif name == "top bit":
            v[5] ^= np.uint64(1 << (width - 1))
        else:
            v += np.uint64(1 << (width - 2))
        return v, t

    monkeypatch.setattr(session, "recv_keyed_products", altered)
    with pytest.raises(SumMismatchError):
        _run(modeler, regulator, _P_RULE_SPEC)


def test_another_model_in_the_scores_than_on_the_wires_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    modeler, regulator, _ = _records()
    honest = session.recv_seeds

    def of_another_model(*args: Any) -> ReceiverSeeds:
        seeds: ReceiverSeeds = honest(*args)
        return replace(seeds, chosen=seeds.chosen ^ np.uint8(3))

    monkeypatch.setattr(session, "recv_seeds", of_another_model)
    with pytest.raises(SumMismatchError):
        _run(modeler, regulator, _P_RULE_SPEC)


def test_another_model_for_the_decisions_than_for_the_signature_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    modeler, regulator, _ = _records()
    selects_everybody = [1 << 22, 0, 0]
    honest = protocol.ModelerTally

    def with_a_fair_model(*args: Any) -> ModelerTally:
        own, spec, n_records, theta, theta_labels = args
        assert theta == _THETA
        return honest(own, spec, n_records, selects_everybody, theta_labels)

    monkeypatch.setattr(protocol, "ModelerTally", with_a_fair_model)
    with pytest.raises(SumMismatchError):
        _run(modeler, regulator, _P_RULE_SPEC)


def test_the_regulator_decodes_no_signature_of_a_model_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    modeler, regulator, _ = _records()
    decoded: list[NDArray[np.uint8]] = []
    honest = ending.end_as_regulator

    def recording(*args: Any) -> NDArray[np.uint8]:
        decoded.append(honest(*args))
        return decoded[-1]

    monkeypatch.setattr(ending, "end_as_regulator", recording)
    assert _run(modeler, regulator)[1].verdict is Verdict.FAIL
    circuit = protocol.certification_circuit(_SPEC, _N)
    assert len(decoded[0][circuit.output_slices["signature"]]) == 256
    assert not decoded[0][circuit.output_slices["signature"]].any()


@pytest.mark.parametrize(("category_counts", "width"), [((2,), 4), ((3, 2), 4)])
def test_a_person_opened_in_two_categories_counts_in_none(
    category_counts: tuple[int, ...], width: int
) -> None:
    n_categories = sum(category_counts)
    rows = np.array(list(itertools.product((0, 1), repeat=n_categories)), dtype=np.uint8)
    counted = (Count.SIZE, Count.SELECTED)
    groups = tuple((category,) for category in range(n_categories))
    plan = TallyPlan(category_counts, groups, counted, False)
    circuit = tally_circuit(1, plan, width)
    before = np.zeros((len(rows), 2 * n_categories * width), dtype=np.uint8)
    selected = np.ones((len(rows), 1), dtype=np.uint8)
    counts = circuit.evaluate(np.hstack([before, selected, rows]))
    sizes = counts.reshape(len(rows), 2, n_categories, width)[:, :, :, 0]
    for row, (size, taken) in zip(rows, sizes, strict=True):
        start, expected = 0, []
        for count in category_counts:
            part = row[start : start + count]
            expected += list(part if part.sum() <= 1 else 0 * part)
            start += count
        assert size.tolist() == taken.tolist() == expected


@pytest.mark.parametrize("replaced", [1, _N])
def test_replaced_people_are_caught_in_the_tally_too(replaced: int) -> None:
    modeler, regulator, _ = _records()
    bits = modeler.low_bits.copy()
    bits[:replaced] ^= 1
    with pytest.raises(RefusedError):
        _run(replace(modeler, low_bits=bits), regulator, _P_RULE_SPEC)


@pytest.mark.parametrize("replaced", [1, _N])
def test_replaced_peoples_bits_are_caught(replaced: int) -> None:
    modeler, regulator, _ = _records()
    bits = modeler.low_bits.copy()
    bits[:replaced] ^= 1
    with pytest.raises(SumMismatchError):
        _run(replace(modeler, low_bits=bits), regulator)


def _forge_a_label(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Evaluator.evaluate

    def forged(self: Evaluator, *args: Any) -> NDArray[np.uint64]:
        labels = honest(self, *args)
        labels[0, 2, 1] ^= np.uint64(1 << 40)
        return labels

    monkeypatch.setattr(Evaluator, "evaluate", forged)


def _spoil_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[..., int] = session.recv_check_corrections
    monkeypatch.setattr(session, "recv_check_corrections", lambda *args: honest(*args) + 1)


def test_a_forged_output_label_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    modeler, regulator, _ = _records()
    _forge_a_label(monkeypatch)
    with pytest.raises(RefusedError):
        _run(modeler, regulator)


def test_the_proof_is_checked_before_the_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    modeler, regulator, _ = _records()
    _forge_a_label(monkeypatch)
    _spoil_the_proof(monkeypatch)
    with pytest.raises(SumMismatchError):
        _run(modeler, regulator)


def _tags_sent_by_the_regulator() -> tuple[list[int], Exception | None]:
    """Run a certification; return the regulator's messages by kind, and how it ended."""
    modeler, regulator, _ = _records()
    tags: list[int] = []
    channels = memory_channel_pair(
        tap_b=lambda frame: tags.append(decode_header(frame[:HEADER_BYTES]).tag)
    )
    try:
        run_two_parties(
            lambda channel: certify_as_modeler(
                job_context(Role.MODELER, channel), _SPEC, modeler, _THETA, bytes(32)
            ),
            lambda channel: certify_as_regulator(
                job_context(Role.REGULATOR, channel), _SPEC, regulator
            ),
            channels=channels,
        )
    except CheckFailedError as failure:
        return tags, failure
    return tags, None


def test_a_modeler_with_another_proof_gets_no_decoding_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tags, failure = _tags_sent_by_the_regulator()
    assert failure is None
    assert ProtocolTag.DECODING_OPENING in tags
    _spoil_the_proof(monkeypatch)
    tags, failure = _tags_sent_by_the_regulator()
    assert isinstance(failure, SumMismatchError)
    assert ProtocolTag.DECODING_OPENING not in tags


def test_colluding_people_open_one_of_two_item_keys_and_never_both() -> None:
    rng = seeded_randomness(3)
    n = 60
    hash_ = TweakedHash(rng.bytes(16))
    u, k = rng.words(n, 1, 2, 2), rng.words(n, 1, 2, 2)
    entries = np.zeros(1, dtype=np.uint64)
    pairs = sender_item_keys(hash_, OTDirection.REGULATOR_SENDS, u, k, entries)
    for choice in (0, 1):
        opened_by_ot = u[:, :, choice]
        for dealt in (0, 1):
            opened = chooser_item_keys(
                hash_, OTDirection.REGULATOR_SENDS, opened_by_ot, k[:, :, dealt], entries
            )
            matches = [(opened == pairs[:, :, bit]).all(axis=-1).sum() for bit in (0, 1)]
            assert matches[choice] == (n if dealt == choice else 0)
            assert matches[1 - choice] == 0


def test_people_who_chose_equal_keys_get_unequal_item_keys_from_the_person_lock() -> None:
    hash_ = TweakedHash(bytes(range(16)))
    same = np.broadcast_to(np.uint64(7), (5, 3, 2)).copy()
    zero = np.zeros_like(same)
    entries = np.arange(3, dtype=np.uint64)
    keys = chooser_item_keys(hash_, OTDirection.REGULATOR_SENDS, zero, same, entries)
    assert len(np.unique(keys.reshape(-1, 2), axis=0)) == 15
    other = chooser_item_keys(hash_, OTDirection.MODELER_SENDS, zero, same, entries)
    assert not (keys == other).all(axis=-1).any()
