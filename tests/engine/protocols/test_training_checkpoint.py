"""A run goes on from any checkpoint, in a session of its own, to the integers of the whole run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.errors import DecodeError, EngineError, UsageError
from mpc_engine.protocols.training.checkpoint import (
    TrainingState,
    checkpoint_steps,
    decode_state,
    state_wires,
)
from mpc_engine.protocols.training.cost import SentBytes, state_bytes
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.row_sets import row_sets_of
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.channel import memory_job_pair
from mpc_engine.testing.people import deal_records
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import (
    States,
    checkpointing,
    random_problem,
    run_with_checkpoints,
)

_AVERAGED = {"n_averaged": 4}
_ODDS = {"row_sets": row_sets_of(Constraint.EQUALISED_ODDS)}
_POSITIVE = {"row_sets": row_sets_of(Constraint.TRUE_POSITIVE_RATE)}
_NEGATIVE = {"row_sets": row_sets_of(Constraint.TRUE_NEGATIVE_RATE)}
_ACCURACY = {"row_sets": row_sets_of(Constraint.ACCURACY)}
_MINIBATCH = {"scope": ConstraintScope.MINIBATCH}
_FALLING = {"multiplier": Multiplier(3000, 1, 5, may_fall=False, only_violated=True)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "batch", "n_steps", "entry_counts", "changes"),
    [
        pytest.param(20, 8, 17, (3,), _AVERAGED, id="passes and batches that end apart"),
        pytest.param(16, 8, 12, (4, 3), {}, id="passes that end with a batch"),
        pytest.param(3, 8, 5, (3,), _FALLING, id="several passes a step"),
        pytest.param(40, 2, 45, (3,), _AVERAGED, id="passes longer than a block"),
        pytest.param(16, 8, 8, (3, 4), _ODDS, id="under equalised odds"),
        pytest.param(16, 8, 8, (3, 4), _POSITIVE, id="under true positive rates"),
        pytest.param(16, 8, 8, (3, 4), _NEGATIVE, id="under true negative rates"),
        pytest.param(16, 8, 8, (3, 4), _ACCURACY, id="under accuracy"),
        pytest.param(16, 8, 8, (3, 4), _ODDS | _MINIBATCH, id="odds on the minibatch"),
        pytest.param(20, 8, 45, (4,), _MINIBATCH, id="minibatches of several blocks"),
    ],
)
def test_a_run_goes_on_from_every_checkpoint_to_the_same_integers(
    n: int, batch: int, n_steps: int, entry_counts: tuple[int, ...], changes: dict[str, Any]
) -> None:
    problem = random_problem(np.random.default_rng(n), n, 3, entry_counts)
    spec = problem.spec(Phase(n_steps - 2, 1, 48, 6), Phase(2, 1, 48, 7), batch=batch, **changes)
    oracle = train_plaintext(spec, problem.rows, problem.labels, problem.answers).theta
    whole, kept = run_with_checkpoints(spec, problem)
    assert whole.tolist() == oracle.tolist()
    assert set(kept) == checkpoint_steps(spec)
    assert len(kept) > 2
    for step, states in kept.items():
        theta, later = run_with_checkpoints(spec, problem, states)
        assert theta.tolist() == oracle.tolist(), step
        assert set(later) == {other for other in kept if other > step}
        assert all(_values(spec, later[other]) == _values(spec, kept[other]) for other in later)


def _values(spec: TrainingSpec, states: States) -> tuple[list[int], list[list[int]]]:
    """Return what two states share: bits on wires, and A with theta in the ring of shares."""
    modeler, regulator = states[Role.MODELER], states[Role.REGULATOR]
    ring = np.uint64((1 << spec.share_width) - 1)
    matrix = (modeler.matrix + regulator.matrix) & ring
    return (modeler.wires ^ regulator.wires).tolist(), matrix.tolist()


def test_a_run_goes_on_again_and_again() -> None:
    problem = random_problem(np.random.default_rng(3), 10, 3, (3,))
    spec = problem.spec(Phase(14, 1, 48, 6), batch=4)
    whole, kept = run_with_checkpoints(spec, problem)
    first = kept[min(kept)]
    _, later = run_with_checkpoints(spec, problem, first)
    _, latest = run_with_checkpoints(spec, problem, later[sorted(later)[1]])
    theta, nothing = run_with_checkpoints(spec, problem, latest[max(latest)])
    assert theta.tolist() == whole.tolist()
    assert nothing == {}


def test_two_runs_from_one_checkpoint_share_the_same_values_and_no_share() -> None:
    problem = random_problem(np.random.default_rng(3), 10, 3, (3,))
    spec = problem.spec(Phase(14, 1, 48, 6), batch=4)
    _, kept = run_with_checkpoints(spec, problem)
    start = kept[min(kept)]
    one, other = (run_with_checkpoints(spec, problem, start)[1] for _ in range(2))
    for step, states in one.items():
        assert _values(spec, states) == _values(spec, other[step])
        for role in Role:
            assert (states[role].wires != other[step][role].wires).any()
            assert (states[role].theta_share != other[step][role].theta_share).all()
            assert (states[role].matrix == start[role].matrix).all()


def test_states_of_two_sessions_do_not_belong_together() -> None:
    """So parties must agree on a checkpoint by its name, not by its step."""
    problem = random_problem(np.random.default_rng(3), 10, 3, (3,))
    spec = problem.spec(Phase(14, 1, 48, 6), batch=4)
    whole, kept = run_with_checkpoints(spec, problem)
    _, others = run_with_checkpoints(spec, problem)
    step = min(kept)
    mixed = {
        Role.MODELER: kept[step][Role.MODELER],
        Role.REGULATOR: others[step][Role.REGULATOR],
    }
    theta, _ = run_with_checkpoints(spec, problem, mixed)
    assert theta.tolist() != whole.tolist()


def test_a_checkpoint_costs_what_the_formula_says() -> None:
    """Counted between the seed of the regulator's inputs and the first table after it."""
    problem = random_problem(np.random.default_rng(1), 12, 4, (4, 3))
    spec = problem.spec(Phase(6, 1, 48, 6), batch=8)
    _, kept = run_with_checkpoints(spec, problem)
    frames: list[tuple[Role, bytes]] = []
    run_with_checkpoints(spec, problem, kept[3], frames)
    tags = [decode_header(frame[:HEADER_BYTES]).tag for _, frame in frames]
    first = tags.index(OpTag.GARBLER_INPUT_SEED) + 1
    corrections = tags.index(OpTag.LABEL_CORRECTIONS)
    entering = frames[first : corrections + 1]
    sent = {role: sum(len(frame) for by, frame in entering if by is role) for role in Role}
    assert SentBytes(sent[Role.MODELER], sent[Role.REGULATOR]) == state_bytes(spec)


def _one_state() -> tuple[TrainingSpec, TrainingState]:
    problem = random_problem(np.random.default_rng(3), 10, 3, (3,))
    spec = problem.spec(Phase(14, 1, 48, 6), batch=4)
    _, kept = run_with_checkpoints(spec, problem)
    return spec, kept[min(kept)][Role.REGULATOR]


def test_a_state_is_read_as_it_was_written_and_shown_to_nobody() -> None:
    spec, state = _one_state()
    again = decode_state(spec, state.encode())
    assert again.encode() == state.encode()
    assert (again.wires == state.wires).all()
    assert len(state.wires) == state_wires(spec)
    assert "[" not in repr(state)


def test_a_state_that_does_not_fit_the_run_is_refused() -> None:
    spec, state = _one_state()
    data = state.encode()
    hostile = [
        b"",
        data[:-1],
        data + b"\0",
        b"\xff" * len(data),
        replace(state, step=state.step + 1).encode(),
        replace(state, step=0).encode(),
        replace(state, matrix=state.matrix | np.uint64(1 << 63)).encode(),
        replace(state, theta_share=state.theta_share | np.uint64(1 << 63)).encode(),
        data[:-1] + bytes([data[-1] | 1 << 7]),
    ]
    assert state_wires(spec) % 8
    for bad in hostile:
        with pytest.raises(DecodeError):
            decode_state(spec, bad)
    rng = np.random.default_rng(1)
    for _ in range(200):
        changed = bytearray(data)
        for place in rng.integers(0, len(data), size=3):
            changed[place] = rng.integers(256)
        try:
            decode_state(spec, bytes(changed))
        except EngineError as error:
            assert isinstance(error, DecodeError)


@pytest.mark.parametrize("role", Role)
def test_a_start_of_another_run_is_refused_before_anything_is_sent(role: Role) -> None:
    _, state = _one_state()
    problem = random_problem(np.random.default_rng(3), 10, 4, (3,))
    other = problem.spec(Phase(14, 1, 48, 6), batch=4)
    modeler, regulator = deal_records(problem.answers, None, seeded_randomness(5))
    channel, _ = memory_job_pair()
    ctx = job_context(role, channel)
    checkpoints = checkpointing(state, lambda _: None)
    with pytest.raises(UsageError) as caught:
        if role is Role.MODELER:
            data = problem.rows, problem.labels
            list(train_as_modeler(ctx, [other], modeler, *data, checkpoints))
        else:
            list(train_as_regulator(ctx, [other], regulator, checkpoints))
    assert caught.value.code == "CHECKPOINT_DIFFERENT"
    assert channel.meter.bytes_sent == channel.beside.meter.bytes_sent == 0
