"""Each party's view of a certification is distributed alike for different inputs of the other.

Two samples of at least 500 runs, frame by frame and bit by bit: necessary, not sufficient. A mutant
that drops one mask must be rejected, or the test could not see a leak. Base OTs are ideal here (the
real ones have their own tests), so that the runs are many; randomness is seeded, so that the
outcome is the same each time.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain
from mpc_engine.protocols.certification import tally
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.roles import Role
from mpc_engine.secure_ops import keyed_product, row_sums
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import keyed_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.vocabulary.verdicts import Verdict
from tests.builders.certification_specs import SMALL_SPEC, limits_on
from tests.engine.leakage.deviations import LIMIT, Means, deviation, means
from tests.engine.ot.ideal import use_ideal_base_ots
from tests.engine.protocols.running import job_context

pytestmark = pytest.mark.slow

_RUNS = 500
_MUTANT_RUNS = 100
_FRAME_BYTES = 192

_CHOICES = np.repeat([0, 1], 4)[:, None]
_FEATURES = {
    0: np.array([1, 3, -1, -2] * 2)[:, None],
    1: np.array([50, 60, -62, -60] * 2)[:, None],
}
_THETA = {0: [0, 1], 1: [0, -100]}
"""Either model selects two of four in each group, whichever the features are, and passes: the
outputs never tell the inputs apart."""
_RATES = tuple(
    limits_on(f"{rate}_difference", 100)
    for rate in ("accuracy", "true_positive_rate", "true_negative_rate", "equalised_odds")
)
_OUTCOMES = {
    0: np.array([1, 0, 1, 0] * 2, dtype=np.uint8),
    1: np.array([0, 1, 0, 1] * 2, dtype=np.uint8),
}
"""Either way each group has one of each decision and outcome: no count tells them apart."""


@dataclass(frozen=True)
class _Inputs:
    """Which features and model; with ``outcomes`` the policy is on the rates that need them."""

    features: int
    theta: int
    outcomes: int | None = None


_OTHER_FEATURES = [_Inputs(0, 1), _Inputs(1, 1)]
_OTHER_MODEL = [_Inputs(0, 0), _Inputs(0, 1)]
_OTHER_OUTCOMES = [_Inputs(0, 0, 0), _Inputs(0, 0, 1)]
_SAMPLES = list(dict.fromkeys([*_OTHER_FEATURES, *_OTHER_MODEL, *_OTHER_OUTCOMES]))
"""Each is drawn once, with seeds of its own, and serves all comparisons."""


def _views(seed: int, inputs: _Inputs) -> dict[Role, NDArray[np.uint8]]:
    """Run one certification; return the bits of the frames that each party received."""
    seen: dict[Role, list[bytes]] = {Role.MODELER: [], Role.REGULATOR: []}
    channels = memory_channel_pair(
        tap_a=lambda frame: seen[Role.REGULATOR].append(bytes(frame)),
        tap_b=lambda frame: seen[Role.MODELER].append(bytes(frame)),
    )
    spec, outcomes_known = SMALL_SPEC, None
    if inputs.outcomes is not None:
        spec, outcomes_known = replace(SMALL_SPEC, criteria=_RATES), _OUTCOMES[inputs.outcomes]
    theta = _THETA[inputs.theta]
    modeler, regulator = deal_records(
        one_hot(_CHOICES, (3,)),
        _FEATURES[inputs.features],
        seeded_randomness(20_000_000 + seed),
        outcomes_known,
    )
    nonce = seeded_randomness(30_000_000 + seed).bytes(32)
    outcomes = run_two_parties(
        lambda channel: certify_as_modeler(
            job_context(Role.MODELER, channel, seed), spec, modeler, theta, nonce
        ),
        lambda channel: certify_as_regulator(
            job_context(Role.REGULATOR, channel, seed), spec, regulator
        ),
        channels=channels,
    )
    assert outcomes[1].verdict is Verdict.PASS
    joined = {
        role: b"".join(frame[:_FRAME_BYTES] for frame in frames) for role, frames in seen.items()
    }
    return {role: np.unpackbits(np.frombuffer(data, np.uint8)) for role, data in joined.items()}


@functools.cache
def _honest(inputs: _Inputs) -> Means:
    """Return the means over runs of honest parties, of either party's view."""
    with pytest.MonkeyPatch.context() as patch:
        use_ideal_base_ots(patch)
        first = _RUNS * _SAMPLES.index(inputs)
        return means(lambda seed: _views(seed, inputs), range(first, first + _RUNS))


def _largest_deviation(role: Role, inputs: list[_Inputs]) -> float:
    """Return the largest deviation of a party's view between runs of honest parties."""
    one, other = (_honest(given)[role] for given in inputs)
    return deviation(one, other, _RUNS)


def _of_mutants(role: Role, inputs: list[_Inputs]) -> float:
    """Return the same between runs as the test has changed them."""
    one, other = (
        means(
            lambda seed, given=given: _views(seed, given),  # type: ignore[misc]
            range(number * _MUTANT_RUNS, (number + 1) * _MUTANT_RUNS),
        )[role]
        for number, given in enumerate(inputs)
    )
    return deviation(one, other, _MUTANT_RUNS)


def test_the_modelers_view_does_not_tell_features_apart() -> None:
    assert _largest_deviation(Role.MODELER, _OTHER_FEATURES) < LIMIT


def test_the_regulators_view_does_not_tell_models_apart() -> None:
    assert _largest_deviation(Role.REGULATOR, _OTHER_MODEL) < LIMIT


def test_the_modelers_view_does_not_tell_outcomes_apart() -> None:
    """Everything but the outcomes y is the same; every rate that is compared needs them."""
    assert _largest_deviation(Role.MODELER, _OTHER_OUTCOMES) < LIMIT


class _UnpermutedOutcomes:
    """The regulator's outcomes as a garbler enters them who forgets to mask their colours."""

    def __init__(self, session: GarblerSession) -> None:
        self._session = session

    def part(self, records: HeldRecords) -> NDArray[np.uint64]:
        """Send the active labels of the one part there is; return the zero labels."""
        session = self._session
        labels = records.require_labels()
        bits = np.concatenate([labels == value for value in (1, 0)]).astype(np.uint64)
        zero = session.rng.words(len(bits), 2)
        zero[:, 0] &= ~np.uint64(1)
        active = zero ^ bits[:, None] * session.delta
        session.channel.send_array(OpTag.GARBLER_INPUT_SEED, active)
        return zero


def test_a_mutant_that_does_not_mask_the_colours_of_outcomes_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the two seeds of a run, that of the scores is sent; labels come in place of the other."""
    use_ideal_base_ots(monkeypatch)
    honest, calls = EvaluatorSession.garbler_inputs, count()

    def receive(self: EvaluatorSession) -> Any:
        if next(calls) % 2 == 0:
            return honest(self)
        channel, shape = self.channel, (2 * len(_CHOICES), 2)
        return SimpleNamespace(
            take=lambda *_: channel.recv_array(OpTag.GARBLER_INPUT_SEED, np.uint64, shape)
        )

    monkeypatch.setattr(tally, "_RegulatorOutcomes", _UnpermutedOutcomes)
    monkeypatch.setattr(EvaluatorSession, "garbler_inputs", receive)
    assert _of_mutants(Role.MODELER, _OTHER_OUTCOMES) > LIMIT


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
    use_ideal_base_ots(monkeypatch)
    for name in names:
        monkeypatch.setattr(module, name, getattr(twin, name))
    honest = twin.stream

    def without_pads(blocks: Any, tweaks: NDArray[np.uint64], round_keys: Any) -> Any:
        domains = tweaks[:, 1] >> np.uint64(INSTANCE_BITS)
        kept = (domains != HashDomain.PAD) & (domains != HashDomain.CHUNK_PAD)
        return honest(blocks, tweaks, round_keys) * kept.astype(np.uint64)[:, None]

    monkeypatch.setattr(twin, "stream", without_pads)
    assert _of_mutants(Role.MODELER, _OTHER_FEATURES) > LIMIT


def test_a_mutant_that_drops_the_mask_of_the_modelers_choices_is_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_ideal_base_ots(monkeypatch, masked=False)
    assert _of_mutants(Role.REGULATOR, _OTHER_MODEL) > LIMIT
