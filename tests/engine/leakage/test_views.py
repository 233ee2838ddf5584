"""Each party's view of a certification is distributed alike for different inputs of the other.

Two samples of at least 500 runs, frame by frame and bit by bit: necessary, not sufficient. A mutant
that drops one mask must be rejected, or the test could not see a leak. Base OTs are ideal here (the
real ones have their own tests), so that the runs are many; randomness is seeded, so that the
outcome is the same each time.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain
from mpc_engine.fairness.comparisons import Comparison
from mpc_engine.fairness.groups import Floors
from mpc_engine.ot import extension
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import (
    CertificationSpec,
    Criterion,
    CriterionName,
    Verdict,
)
from mpc_engine.roles import Role
from mpc_engine.secure_ops import keyed_product, row_sums
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import keyed_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from tests.engine.protocols.running import job_context

_RUNS = 500
_MUTANT_RUNS = 100
_FRAME_BYTES = 192
_LIMIT = 6.5
"""Standard deviations; for 10^5 compared bits chance passes it with probability below 10^-5."""

_SPEC = CertificationSpec(
    config_digest=b"\x21" * 32,
    n_features=1,
    x_frac_bits=2,
    theta_bits=8,
    theta_frac_bits=2,
    entry_counts=(3,),
    feature_ranges=((-64, 63),),
    criteria=(
        Criterion(CriterionName.P_RULE, (Fraction(1),), Fraction(1)),
        Criterion(CriterionName.COVARIANCE, (Fraction(1000),), Fraction(1000)),
    ),
    comparison=Comparison.EACH_PAIR,
    floors=Floors(1, 1),
)
_CHOICES = np.array([[0], [0], [1], [1]])
_FEATURES = {0: np.array([[50], [60], [50], [60]]), 1: np.array([[-1], [-60], [-2], [-50]])}
_THETA = {0: [5, 1], 1: [100, -1]}
"""Either model passes with either features: the outputs never tell the inputs apart."""
_OTHER_FEATURES = [(0, 1), (1, 1)]
_OTHER_MODEL = [(0, 0), (0, 1)]


def _use_ideal_base_ots(monkeypatch: pytest.MonkeyPatch, *, masked: bool = True) -> None:
    """Replace base OTs by pairs that both sides derive from the session id.

    Without ``masked`` both seeds of a pair are equal: the extension's columns lose their mask.
    """

    def pairs(count: int, session_id: bytes) -> NDArray[np.uint64]:
        seed = int.from_bytes(hashlib.sha256(session_id).digest()[:8], "big")
        drawn = seeded_randomness(seed).words(count, 2, 2)
        if not masked:
            drawn[:, 1] = drawn[:, 0]
        return drawn

    def send(channel: Channel, count: int, session_id: bytes, rng: Randomness) -> Any:
        return pairs(count, session_id)

    def recv(channel: Channel, choices: NDArray[np.uint8], session_id: bytes, rng: Any) -> Any:
        drawn = pairs(len(choices), session_id)
        return drawn[np.arange(len(choices)), choices.astype(np.int64)]

    monkeypatch.setattr(extension, "send_base_ots", send)
    monkeypatch.setattr(extension, "recv_base_ots", recv)


def _frames_of_run(seed: int, features: int, theta: int) -> dict[Role, list[bytes]]:
    """Run one certification; return the frames that each party received."""
    seen: dict[Role, list[bytes]] = {Role.MODELER: [], Role.REGULATOR: []}
    channels = memory_channel_pair(
        tap_a=lambda frame: seen[Role.REGULATOR].append(bytes(frame)),
        tap_b=lambda frame: seen[Role.MODELER].append(bytes(frame)),
    )
    modeler, regulator = deal_records(
        one_hot(_CHOICES, (3,)), _FEATURES[features], seeded_randomness(20_000_000 + seed)
    )
    nonce = seeded_randomness(30_000_000 + seed).bytes(32)
    outcomes = run_two_parties(
        lambda channel: certify_as_modeler(
            job_context(Role.MODELER, channel, seed), _SPEC, modeler, _THETA[theta], nonce
        ),
        lambda channel: certify_as_regulator(
            job_context(Role.REGULATOR, channel, seed), _SPEC, regulator
        ),
        channels=channels,
    )
    assert outcomes[1].verdict is Verdict.PASS
    return seen


def _largest_deviation(role: Role, inputs: list[tuple[int, int]], n_runs: int) -> float:
    """Return the largest two-sample z value over all bits of all frames of a party's view."""
    means: list[NDArray[np.float64]] = []
    for number, (features, theta) in enumerate(inputs):
        views = []
        for run in range(n_runs):
            frames = _frames_of_run(number * n_runs + run, features, theta)[role]
            joined = b"".join(frame[:_FRAME_BYTES] for frame in frames)
            views.append(np.unpackbits(np.frombuffer(joined, dtype=np.uint8)))
        means.append(np.stack(views).mean(axis=0))
    pooled = (means[0] + means[1]) / 2
    spread = np.sqrt(np.maximum(2 * pooled * (1 - pooled) / n_runs, 1e-12))
    return float((np.abs(means[0] - means[1]) / spread).max())


def test_the_modelers_view_does_not_tell_features_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    _use_ideal_base_ots(monkeypatch)
    assert _largest_deviation(Role.MODELER, _OTHER_FEATURES, _RUNS) < _LIMIT


def test_the_regulators_view_does_not_tell_models_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    _use_ideal_base_ots(monkeypatch)
    assert _largest_deviation(Role.REGULATOR, _OTHER_MODEL, _RUNS) < _LIMIT


@pytest.mark.parametrize(
    ("module", "twin", "names"),
    [
        (row_sums, rows_twin, ("send_rows", "recv_rows")),
        (keyed_product, product_twin, ("send_chunks", "recv_chunks")),
    ],
    ids=["sums", "scores"],
)
def test_a_mutant_that_drops_the_regulators_pads_is_rejected(
    module: Any, twin: Any, names: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernels' twins give the same bytes, and let their pads be dropped."""
    _use_ideal_base_ots(monkeypatch)
    for name in names:
        monkeypatch.setattr(module, name, getattr(twin, name))
    honest = twin.stream

    def without_pads(blocks: Any, tweaks: NDArray[np.uint64], round_keys: Any) -> Any:
        domains = tweaks[:, 1] >> np.uint64(INSTANCE_BITS)
        kept = (domains != HashDomain.PAD) & (domains != HashDomain.CHUNK_PAD)
        return honest(blocks, tweaks, round_keys) * kept.astype(np.uint64)[:, None]

    monkeypatch.setattr(twin, "stream", without_pads)
    assert _largest_deviation(Role.MODELER, _OTHER_FEATURES, _MUTANT_RUNS) > _LIMIT


def test_a_mutant_that_drops_the_mask_of_the_modelers_choices_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _use_ideal_base_ots(monkeypatch, masked=False)
    assert _largest_deviation(Role.REGULATOR, _OTHER_MODEL, _MUTANT_RUNS) > _LIMIT
