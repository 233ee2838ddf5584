"""The training protocol: theta, lambda and A stay shared, only the modeler learns the last theta.

1. Fresh session; a second OT extension in the other direction, bootstrapped from the first.
2. A, once (`matrix`): the modeler holds ``A - A_R``, the regulator its masks ``A_R``. On the
   minibatch every step has an A of its own, and all of them are shared here.
3. Steps, block by block. Offline (`material`): products with masks, made for the next block while
   the steps of this one run, by a thread of its own on the job's second line (`ahead`), to which
   the OTs move after 2. theta and lambda are wires of the garbled circuits from step to step;
   beside them the modeler holds ``theta_M = theta - r``, whose mask r the regulator drew ahead. One
   step has two round trips:

   a. the modeler enters its shares of ``X theta`` and ``A theta``, and opens ``theta_M - cover``;
   b. the regulator garbles the clamp of every row and the force of every constraint; the modeler
      gets ``sigma - s`` and ``nu - t``, masked by the regulator;
   c. the modeler enters its share of ``loss X^T (sigma - y) + constraint A^T nu``, and opens
      ``nu_M - cover``;
   d. the regulator garbles the update; the modeler gets the next ``theta_M``.
4. The mean of the averaged iterates is rounded in a circuit and opened to the modeler.

A sweep repeats 3 and 4 for several bounds ("points"), with the same A. A point starts at theta = 0
with labels, masks and material of its own: blocks, transfers and instances count on from the point
before, so nothing but A's two shares serves twice. Both sides take a point from their caller when
the one before is open, and before anything of it is sent: the caller decides whether to go on.

At the end of every pass over the rows, and before an opening, each party may keep its state of the
point (`checkpoint`); both states of one checkpoint start another session there, in place of 2 and
of the steps done.

The regulator sees uniform bits and covered, uniform integers only; the modeler sees masked values
and the last theta. Security: two semi-honest parties. Every truncation is exact: the result is that
of `plaintext`, bit for bit.
Source: Kilbertus et al. (2018), Algorithm 1; the project's constructions page, "Training step",
with masks drawn ahead instead of bits that are corrected online (``docs/protocols/training.md``).
Cost: `cost` has the bytes of a step and of a block; two round trips a step, besides those of the
material.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.ahead import MadeAhead
from mpc_engine.protocols.session import (
    EvaluatorSession,
    GarblerSession,
    JobContext,
    OfflineLine,
    on_second_line,
)
from mpc_engine.protocols.training.checkpoint import (
    Checkpointing,
    TrainingState,
    check_state,
    checkpoint_steps,
)
from mpc_engine.protocols.training.material import (
    ModelerBlock,
    RegulatorBlock,
    make_block_as_modeler,
    make_block_as_regulator,
)
from mpc_engine.protocols.training.matrix import share_matrix_as_modeler, share_matrix_as_regulator
from mpc_engine.protocols.training.order import batches
from mpc_engine.protocols.training.plaintext import check_rows
from mpc_engine.protocols.training.ring_wires import RingWords, ring_mask
from mpc_engine.protocols.training.spec import Phase, TrainingSpec
from mpc_engine.protocols.training.steps import ModelerSteps, RegulatorSteps
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.vocabulary.runs import Stage

_BLOCK_STEPS = 64
"""Steps whose material is made at once: an OT extension costs its streams and a round trip."""
_ANEW = Checkpointing()


def _phases(spec: TrainingSpec) -> Iterator[Phase]:
    for phase in spec.phases:
        for _ in range(phase.n_steps):
            yield phase


def _blocks(spec: TrainingSpec, first_step: int) -> Iterator[list[tuple[int, Phase]]]:
    steps = islice(enumerate(_phases(spec)), first_step, None)
    while block := list(islice(steps, _BLOCK_STEPS)):
        yield block


def _matrices(spec: TrainingSpec, matrix: RingWords, block: list[tuple[int, Phase]]) -> RingWords:
    """Return a party's shares of A of the steps of a block, uint64 (s, p, d)."""
    if spec.is_on_minibatch:
        return matrix[block[0][0] : block[-1][0] + 1]
    return np.broadcast_to(matrix, (len(block), *matrix.shape))


def _check_cohort(spec: TrainingSpec, records: HeldRecords) -> None:
    if records.low_bits.shape != (spec.n_rows, sum(spec.entry_counts)):
        raise UsageError("The cohort does not have the people and answers of the run.")


def _offline_line(ctx: JobContext) -> OfflineLine:
    if ctx.offline is None:
        raise UsageError("A training needs a second line.")
    return ctx.offline


def _start_of(spec: TrainingSpec, checkpoints: Checkpointing) -> TrainingState | None:
    start = checkpoints.start(spec)
    if start is not None:
        check_state(spec, start)
    return start


def _later_points(first: TrainingSpec, points: Iterable[TrainingSpec]) -> Iterator[TrainingSpec]:
    """Return the first point and those after it; UsageError for one that is another run."""
    yield first
    for point in points:
        if replace(point, bounds=first.bounds) != first:
            raise UsageError("The points of a sweep differ in their bounds alone.")
        yield point


def train_as_regulator(
    ctx: JobContext,
    points: Iterable[TrainingSpec],
    records: HeldRecords,
    checkpoints: Checkpointing = _ANEW,
) -> Iterator[None]:
    """Run the regulator's side over its shares of the cohort's answers; it gets no output.

    Yields once for each point, when its theta is open to the modeler. Without a point nothing is
    sent. Progress tells the steps of a point. UsageError (``CHECKPOINT_DIFFERENT``) for a state of
    another run.
    """
    remaining = iter(points)
    spec = next(remaining, None)
    if spec is None:
        return
    _check_cohort(spec, records)
    line = _offline_line(ctx)
    start = _start_of(spec, checkpoints)
    session = GarblerSession(ctx)
    products = RandomOTReceiver(
        ctx.channel, ctx.job_digest, ctx.rng, session.hash, bootstrap=session.ot
    )
    if start is None:
        ctx.progress(Stage.CONSTRAINTS, 0, 1)
        matrix = share_matrix_as_regulator(session, products, spec, records)
        ctx.progress(Stage.CONSTRAINTS, 1, 1)
    else:
        matrix = start.matrix
    numbers = count()
    offline: GarblerSession | None = None
    for point in _later_points(spec, remaining):
        steps = RegulatorSteps(session, point, matrix, start)
        start = None
        if offline is None:
            offline = on_second_line(session, line)
            products.move(line.channel, line.rng)
        blocks = _regulator_blocks(
            offline, products, point, (steps.first_step, steps.theta_mask), matrix, numbers
        )
        with MadeAhead(blocks, line.channel, ctx.channel) as ahead:
            _train_point_as_regulator(ctx, steps, ahead, checkpoints)
        yield


def _regulator_blocks(
    session: GarblerSession,
    products: RandomOTReceiver,
    spec: TrainingSpec,
    start: tuple[int, RingWords],
    matrix: RingWords,
    numbers: Iterator[int],
) -> Iterator[tuple[RegulatorBlock, RingWords]]:
    """Make a point's material from ``start``, a step and the mask of its iterate.

    Yields blocks with the masks of the iterates after their steps; ``numbers`` counts the blocks of
    all points.
    """
    first_step, mask = start
    for block in _blocks(spec, first_step):
        drawn = session.rng.words(len(block), spec.n_columns) & ring_mask(spec.score_width)
        masks = np.concatenate([mask[None], drawn[:-1]])
        mask = drawn[-1]
        number = next(numbers)
        matrices = _matrices(spec, matrix, block)
        yield make_block_as_regulator(session, products, spec, matrices, masks, number), drawn


def _train_point_as_regulator(
    ctx: JobContext,
    steps: RegulatorSteps,
    ahead: MadeAhead[tuple[RegulatorBlock, RingWords]],
    checkpoints: Checkpointing,
) -> None:
    """Run one point from where ``steps`` starts."""
    spec = steps.spec
    kept_steps = checkpoint_steps(spec)
    for block in _blocks(spec, steps.first_step):
        ctx.progress(Stage.MATERIAL, block[0][0], spec.n_steps)
        material, masks = ahead.take()
        ctx.progress(Stage.TRAINING, block[0][0], spec.n_steps)
        for i, (step, phase) in enumerate(block):
            steps.run(material, i, phase, masks[i], step in spec.averaged_steps)
            if step + 1 in kept_steps:
                checkpoints.keep(spec, steps.state(step + 1))
        ctx.progress(Stage.TRAINING, block[-1][0] + 1, spec.n_steps)
    checkpoints.opening(spec)
    steps.open_theta()


def train_as_modeler(
    ctx: JobContext,
    points: Iterable[TrainingSpec],
    records: HeldRecords,
    rows: NDArray[np.int64],
    labels: NDArray[np.uint8],
    checkpoints: Checkpointing = _ANEW,
) -> Iterator[NDArray[np.int64]]:
    """Run the modeler's side; yield each point's theta int64 (d,) with ``output_frac_bits``.

    ``rows`` int64 (n, d) encoded, intercept first, and ``labels`` uint8 (n,), both in the order of
    the records. UsageError before anything is sent where they are outside the declared bounds.
    Without a point nothing is sent. Progress tells the steps of a point. A checkpoint goes on with
    the rows that it was kept with; UsageError (``CHECKPOINT_DIFFERENT``) for one of another run.
    """
    remaining = iter(points)
    spec = next(remaining, None)
    if spec is None:
        return
    _check_cohort(spec, records)
    check_rows(spec, rows, labels)
    line = _offline_line(ctx)
    start = _start_of(spec, checkpoints)
    session = EvaluatorSession(ctx)
    products = RandomOTSender(
        ctx.channel, ctx.job_digest, ctx.rng, session.hash, bootstrap=session.ot
    )
    words: RingWords = rows.astype(np.uint64)
    targets = labels.astype(np.uint64) << np.uint64(spec.signal_frac_bits)
    if start is None:
        ctx.progress(Stage.CONSTRAINTS, 0, 1)
        matrix = share_matrix_as_modeler(session, products, spec, records, rows, labels)
        ctx.progress(Stage.CONSTRAINTS, 1, 1)
    else:
        matrix = start.matrix
    numbers = count()
    offline: EvaluatorSession | None = None
    for point in _later_points(spec, remaining):
        steps = ModelerSteps(session, point, matrix, start)
        start = None
        if offline is None:
            offline = on_second_line(session, line)
            products.move(line.channel, line.rng)
        blocks = _modeler_blocks(offline, products, point, steps.first_step, matrix, words, numbers)
        with MadeAhead(blocks, line.channel, ctx.channel) as ahead:
            theta = _train_point_as_modeler(ctx, steps, ahead, (words, targets), checkpoints)
        yield theta


def _modeler_blocks(
    session: EvaluatorSession,
    products: RandomOTSender,
    spec: TrainingSpec,
    first_step: int,
    matrix: RingWords,
    rows: RingWords,
    numbers: Iterator[int],
) -> Iterator[tuple[ModelerBlock, NDArray[np.int64]]]:
    """Make a point's material from a step on; yields blocks with the numbers of their rows."""
    order = islice(batches(spec), first_step, None)
    for block in _blocks(spec, first_step):
        chosen = np.stack([next(order) for _ in block])
        number = next(numbers)
        given = _matrices(spec, matrix, block), rows[chosen], number
        yield make_block_as_modeler(session, products, spec, *given), chosen


def _train_point_as_modeler(
    ctx: JobContext,
    steps: ModelerSteps,
    ahead: MadeAhead[tuple[ModelerBlock, NDArray[np.int64]]],
    data: tuple[RingWords, RingWords],
    checkpoints: Checkpointing,
) -> NDArray[np.int64]:
    """Run one point on rows and targets, from where ``steps`` starts; as at the regulator."""
    words, targets = data
    spec = steps.spec
    kept_steps = checkpoint_steps(spec)
    for block in _blocks(spec, steps.first_step):
        ctx.progress(Stage.MATERIAL, block[0][0], spec.n_steps)
        material, chosen = ahead.take()
        ctx.progress(Stage.TRAINING, block[0][0], spec.n_steps)
        for i, (step, phase) in enumerate(block):
            averaged = step in spec.averaged_steps
            steps.run(material, i, phase, words[chosen[i]], targets[chosen[i]], averaged)
            if step + 1 in kept_steps:
                checkpoints.keep(spec, steps.state(step + 1))
        ctx.progress(Stage.TRAINING, block[-1][0] + 1, spec.n_steps)
    checkpoints.opening(spec)
    return steps.open_theta()
