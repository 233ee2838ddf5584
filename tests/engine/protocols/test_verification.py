"""Verification equals its oracle; honest decisions are always confirmed, ties included."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import RefusedError, UsageError
from mpc_engine.garbling import Evaluator
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import encode_model, model_signature
from mpc_engine.protocols.verification.circuit import case_bits, decision_circuit, hash_circuit
from mpc_engine.protocols.verification.plaintext import verify_in_the_clear
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.vocabulary.verdicts import VerificationResult
from tests.engine.hostile.cheating import never_stop
from tests.engine.protocols import datasets
from tests.engine.protocols.both_sides import verify_on_both_sides
from tests.engine.protocols.datasets import RealData

_NONCE = bytes(range(32))
_DIGEST = b"\x21" * 32


def _spec(ranges: tuple[tuple[int, int], ...]) -> VerificationSpec:
    return VerificationSpec(_DIGEST, len(ranges), datasets.X_FRAC_BITS, 24, ranges)


def _small_cases(theta: list[int], n: int) -> list[tuple[list[int], int]]:
    rng = np.random.default_rng(n)
    rows = rng.integers(-500, 501, (n, 3)).tolist()
    return [(row, decide(theta, row, datasets.X_FRAC_BITS)) for row in rows]


def test_honest_altered_and_swapped_decisions_get_their_results() -> None:
    theta = [12345, -70000, 8, 1 << 20]
    spec = _spec(((-500, 500),) * 3)
    signature = model_signature(_DIGEST, _NONCE, theta)
    cases = _small_cases(theta, 300)
    altered = [(x, claim ^ (i % 3 == 0)) for i, (x, claim) in enumerate(cases)]
    results = verify_on_both_sides(spec, signature, theta, altered)
    assert results == verify_in_the_clear(spec, signature, theta, _NONCE, altered)
    assert [r is VerificationResult.CONFIRMED for r in results] == [i % 3 != 0 for i in range(300)]
    swapped = [theta[0] + 1, *theta[1:]]
    assert set(verify_on_both_sides(spec, signature, swapped, cases[:5])) == {
        VerificationResult.DIFFERENT_MODEL
    }
    other_nonce = bytes(32)
    assert set(verify_on_both_sides(spec, signature, theta, cases[:2], other_nonce)) == {
        VerificationResult.DIFFERENT_MODEL
    }


def test_a_forged_label_fails_the_whole_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    theta = [12345, -70000, 8, 1 << 20]
    honest = Evaluator.evaluate

    def forged(self: Evaluator, *args: Any) -> NDArray[np.uint64]:
        labels = honest(self, *args)
        labels[-1, -1, 1] ^= np.uint64(1 << 40)
        return labels

    monkeypatch.setattr(Evaluator, "evaluate", forged)
    never_stop(monkeypatch)
    with pytest.raises(RefusedError):
        signature = model_signature(_DIGEST, _NONCE, theta)
        verify_on_both_sides(_spec(((-500, 500),) * 3), signature, theta, _small_cases(theta, 3))


def test_ties_and_range_ends_are_decided_as_the_definition_says() -> None:
    low, high = -(1 << 23), (1 << 23) - 1
    spec = _spec(((low, high), (low, high)))
    for theta in ([0, 0, 0], [0, 1, 1], [-1, 1, 0], [low, low, low], [high, high, high]):
        signature = model_signature(_DIGEST, _NONCE, theta)
        points = [[0, 0], [5, -5], [256, 0], [255, 0], [low, low], [high, high], [low, high]]
        cases = [(x, decide(theta, x, datasets.X_FRAC_BITS)) for x in points]
        results = verify_on_both_sides(spec, signature, theta, cases)
        assert set(results) == {VerificationResult.CONFIRMED}
        wrong = [(x, claim ^ 1) for x, claim in cases]
        assert set(verify_on_both_sides(spec, signature, theta, wrong)) == {
            VerificationResult.DIFFERENT_DECISION
        }


@pytest.mark.slow
@datasets.ON_EACH
def test_every_decision_on_every_row_of_the_real_data_is_confirmed(name: str) -> None:
    data: RealData = getattr(datasets, name)()
    theta = datasets.fitted_theta(data)
    spec = _spec(data.feature_ranges)
    rows = data.features.tolist()
    cases = [(x, decide(theta, x, datasets.X_FRAC_BITS)) for x in rows]
    circuit = decision_circuit(spec.n_features, spec.x_frac_bits, 24, spec.feature_ranges)
    words = np.array([value & 0xFFFFFF for value in theta], dtype=np.uint64)
    bits = (words[:, None] >> np.arange(24, dtype=np.uint64)) & np.uint64(1)
    shared = np.append(bits.reshape(-1), 1).astype(np.uint8)
    for start in range(0, len(cases), 2000):
        own = case_bits(spec, cases[start : start + 2000])
        inputs = np.hstack([np.broadcast_to(shared, (len(own), len(shared))), own])
        assert circuit.evaluate(np.ascontiguousarray(inputs)).all()
    signature = model_signature(_DIGEST, _NONCE, theta)
    assert set(verify_on_both_sides(spec, signature, theta, cases[:600])) == {
        VerificationResult.CONFIRMED
    }


@pytest.mark.parametrize("n_features", [1, 6, 7, 8, 22, 23, 24, 50])
def test_the_hash_circuit_equals_hashlib_over_the_canonical_bytes(n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    theta = [int(value) for value in rng.integers(-(1 << 23), 1 << 23, n_features + 1)]
    nonce = rng.bytes(32)
    digest = hashlib.sha256(encode_model(_DIGEST, nonce, theta)).digest()
    circuit = hash_circuit(_DIGEST, n_features, 24)
    words = np.array([value & 0xFFFFFF for value in theta], dtype=np.uint64)
    theta_bits = (words[:, None] >> np.arange(24, dtype=np.uint64)) & np.uint64(1)
    inputs = np.concatenate(
        [
            theta_bits.reshape(-1).astype(np.uint8),
            np.unpackbits(np.frombuffer(nonce, dtype=np.uint8)),
            np.unpackbits(np.frombuffer(digest, dtype=np.uint8)),
        ]
    )
    assert circuit.evaluate(inputs[None])[0, 0] == 1
    inputs[-1] ^= 1
    assert circuit.evaluate(inputs[None])[0, 0] == 0


def test_cases_out_of_range_or_malformed_are_refused_by_name() -> None:
    spec = _spec(((0, 10), (-4, 4)))
    for case, code in (
        (([11, 0], 1), "CASE_OUT_OF_RANGE"),
        (([1, -5], 1), "CASE_OUT_OF_RANGE"),
        (([1], 1), "CASE_MALFORMED"),
        (([1, 1], 2), "CASE_MALFORMED"),
    ):
        with pytest.raises(UsageError) as caught:
            case_bits(spec, [case])
        assert caught.value.code == code
