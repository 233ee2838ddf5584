"""Tiny training runs, with everything that each party sees or works out from what it sees.

A frame alone may look uniform although it is not when put beside what the party holds: an opened
share plus its own, for example. So a view holds frames, the values that the modeler decodes, and
what the regulator gets when it adds its own shares and masks to what it was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.protocols.instances import bits_of
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.training import matrix, steps
from mpc_engine.protocols.training.checkpoint import Checkpointing, TrainingState
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.ring_wires import ring_mask, ring_words
from mpc_engine.protocols.training.row_sets import row_sets_of
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.channel import Tap, memory_job_pair
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import checkpointing

N_STEPS = 3
SPEC = TrainingSpec(
    n_rows=4,
    n_columns=3,
    batch_size=4,
    x_frac_bits=3,
    x_bound=15,
    row_bound=38,
    entry_counts=(3,),
    bounds=(0,),
    phases=(Phase(N_STEPS, 1, 8, 2),),
    multiplier=Multiplier(bound=255, rate_shift=-1, penalty=3, may_fall=False, only_violated=False),
    order_seed=bytes(16),
    theta_frac_bits=8,
    theta_int_bits=2,
    signal_frac_bits=5,
    output_frac_bits=6,
)
ANSWERS = {0: np.array([[0], [0], [1], [1]]), 1: np.array([[0], [1], [0], [2]])}
ROWS = {
    0: np.array([[8, 15, 3], [8, 9, -14], [8, -7, 2], [8, -15, 15]]),
    1: np.array([[8, -3, 15], [8, 14, 9], [8, -11, -15], [8, 1, -2]]),
}
LABELS = {0: np.array([1, 1, 0, 0], np.uint8), 1: np.array([0, 1, 1, 1], np.uint8)}
"""Of different numbers of each outcome: how many there are is the modeler's secret."""
_ORDER_OF_TWOS = bytes([2]) * 16
"""An order in which two rows of one outcome meet: a batch with one of a set has no covariance."""
_FRAME_BYTES = 192
_RESUMED = 5_000_000
"""Added to a run's seed for the one that goes on from it."""

WithDraws = Callable[[Role, Randomness], Randomness]


@dataclass(frozen=True)
class Inputs:
    """Which answers the people gave, which rows and labels the modeler holds, what is constrained.

    Under equalised odds a run has two more constraints on fewer rows each; on the minibatch each
    step has its own.
    """

    answers: int
    rows: int
    constraint: Constraint = Constraint.ACCEPTANCE_RATE
    scope: ConstraintScope = ConstraintScope.WHOLE_SET

    @property
    def spec(self) -> TrainingSpec:
        """Return the run."""
        return spec_under(self.constraint, self.scope)


def spec_under(
    constraint: Constraint, scope: ConstraintScope = ConstraintScope.WHOLE_SET
) -> TrainingSpec:
    """Return the tiny run under a constraint, with batches of two rows on the minibatch."""
    sets = row_sets_of(constraint)
    spec = replace(SPEC, row_sets=sets, bounds=SPEC.bounds * len(sets))
    if scope is ConstraintScope.WHOLE_SET:
        return spec
    return replace(spec, scope=scope, batch_size=2, order_seed=_ORDER_OF_TWOS)


class _Notes:
    """What the parties decode (modeler) and enter or mask with (regulator), in order."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.decoded: list[NDArray[np.uint8]] = []
        self.entered: list[tuple[NDArray[np.uint64], int]] = []
        own = steps.RegulatorSteps._own

        def noting_words(bits: NDArray[np.uint8]) -> NDArray[np.uint64]:
            self.decoded.append(np.array(bits).reshape(-1))
            return ring_words(bits)

        def noting_own(session: Any, values: NDArray[np.uint64], width: int) -> Any:
            self.entered.append((values.copy(), width))
            return own(session, values, width)

        patch.setattr(matrix, "ring_words", noting_words)
        patch.setattr(steps, "ring_words", noting_words)
        patch.setattr(steps.RegulatorSteps, "_own", noting_own)


def as_it_is(_: Role, rng: Randomness) -> Randomness:
    return rng


def views(
    patch: pytest.MonkeyPatch, seed: int, inputs: Inputs, draws: WithDraws = as_it_is
) -> dict[Role, NDArray[np.uint8]]:
    """Run one training; return each party's view as bits, the opened theta left out."""
    return _run(patch, seed, inputs, draws, None).views


def resumed_views(
    patch: pytest.MonkeyPatch,
    seed: int,
    inputs: Inputs,
    *,
    open_states: bool = False,
) -> dict[Role, NDArray[np.uint8]]:
    """Run one training, and once more from its second checkpoint; return each party's view of all.

    The first would not do: before it, theta does not depend on answers.

    A view holds the party's state too, and how what it works out in the same steps differs between
    the two. With ``open_states`` it holds the bits that the states share, for a control.
    """
    whole = _run(patch, seed, inputs, as_it_is, None)
    start = whole.kept[2]
    later = _run(patch, seed + _RESUMED, inputs, as_it_is, start)
    found = {}
    for role in Role:
        state = start[role]
        wires = state.wires ^ start[role.peer].wires if open_states else state.wires
        again = later.worked_out[role]
        found[role] = np.concatenate(
            [
                whole.views[role],
                wires,
                bits_of(state.theta_share, inputs.spec.score_width),
                bits_of(state.matrix, inputs.spec.share_width),
                later.views[role],
                whole.worked_out[role][-len(again) :] ^ again,
            ]
        )
    return found


@dataclass(frozen=True)
class _Run:
    """Each party's view, what it works out from what it sees, and the states of checkpoints."""

    views: dict[Role, NDArray[np.uint8]]
    worked_out: dict[Role, NDArray[np.uint8]]
    kept: dict[int, dict[Role, TrainingState]]


def _run(
    patch: pytest.MonkeyPatch,
    seed: int,
    inputs: Inputs,
    draws: WithDraws,
    start: dict[Role, TrainingState] | None,
) -> _Run:
    seen: dict[Role, list[bytes]] = {role: [] for role in Role}
    beside: dict[Role, list[bytes]] = {role: [] for role in Role}
    rows, labels = ROWS[inputs.rows].astype(np.int64), LABELS[inputs.rows]
    modeler, regulator = deal_records(
        one_hot(ANSWERS[inputs.answers], (3,)), None, seeded_randomness(20_000_000 + seed)
    )
    states = {role: None if start is None else start[role] for role in Role}
    kept: dict[int, dict[Role, TrainingState]] = {step: {} for step in range(1, N_STEPS + 1)}

    def context(role: Role, channel: Any) -> Any:
        ctx: Any = job_context(role, channel, seed)
        line = replace(ctx.offline, rng=draws(role, ctx.offline.rng))
        return replace(ctx, rng=draws(role, ctx.rng), offline=line)

    def taps(frames: dict[Role, list[bytes]]) -> tuple[Tap, Tap]:
        """Let each party's frames be seen by the other one; those of two lines apart."""
        at_modeler, at_regulator = frames[Role.MODELER], frames[Role.REGULATOR]
        return (
            lambda frame: at_regulator.append(bytes(frame)),
            lambda frame: at_modeler.append(bytes(frame)),
        )

    def checkpoints(role: Role) -> Checkpointing:
        return checkpointing(states[role], lambda state: kept[state.step].update({role: state}))

    with patch.context() as inner:
        notes = _Notes(inner)
        run_two_parties(
            lambda ch: list(
                train_as_modeler(
                    context(Role.MODELER, ch),
                    [inputs.spec],
                    modeler,
                    rows,
                    labels,
                    checkpoints(Role.MODELER),
                )
            ),
            lambda ch: list(
                train_as_regulator(
                    context(Role.REGULATOR, ch),
                    [inputs.spec],
                    regulator,
                    checkpoints(Role.REGULATOR),
                )
            ),
            channels=memory_job_pair(taps=taps(seen), beside_taps=taps(beside)),
        )
    worked_out = {
        Role.MODELER: np.concatenate(notes.decoded[:-1]),
        Role.REGULATOR: _put_together(
            inputs.spec, seen[Role.REGULATOR], notes, states[Role.REGULATOR]
        ),
    }
    found = {
        role: np.concatenate([_bits_of_frames(seen[role] + beside[role]), worked_out[role]])
        for role in Role
    }
    return _Run(found, worked_out, kept)


def _bits_of_frames(frames: list[bytes]) -> NDArray[np.uint8]:
    joined = b"".join(frame[:_FRAME_BYTES] for frame in frames)
    return np.unpackbits(np.frombuffer(joined, dtype=np.uint8))


def _put_together(
    spec: TrainingSpec, frames: list[bytes], notes: _Notes, start: TrainingState | None
) -> NDArray[np.uint8]:
    """Add to every opened word and every flipped share what the regulator holds of it."""
    payloads: dict[int, list[bytes]] = {}
    for frame in frames:
        tag = decode_header(frame[:HEADER_BYTES]).tag
        payloads.setdefault(tag, []).append(frame[HEADER_BYTES:])
    found: list[NDArray[np.uint8]] = []

    def add(sent: NDArray[np.uint64], held: NDArray[np.uint64], width: int) -> None:
        found.append(bits_of((sent + held) & ring_mask(width), width))

    theta_mask = np.zeros(spec.n_columns, np.uint64) if start is None else start.theta_share
    score, gradient = spec.score_width, spec.gradient_width
    for step in range(N_STEPS if start is None else N_STEPS - start.step):
        scores, _, force_masks, _, kept, next_mask = (
            values for values, _ in notes.entered[6 * step : 6 * step + 6]
        )
        flips = payloads[OpTag.CHOICE_FLIPS]
        add(_flipped_words(flips[2 * step], len(scores), score), scores, score)
        add(_flipped_words(flips[2 * step + 1], len(kept), gradient), kept, gradient)
        covered = np.frombuffer(payloads[ProtocolTag.THETA_COVERED][step], dtype=np.uint64)
        add(covered, theta_mask, score)
        covered = np.frombuffer(payloads[ProtocolTag.FORCE_COVERED][step], dtype=np.uint64)
        add(covered, force_masks, gradient)
        theta_mask = next_mask
    return np.concatenate(found)


def _flipped_words(payload: bytes, n_words: int, width: int) -> NDArray[np.uint64]:
    bits = np.unpackbits(
        np.frombuffer(payload, dtype=np.uint8), count=n_words * width, bitorder="little"
    )
    return ring_words(bits.reshape(n_words, width))
