"""The certification protocol: every criterion of the policy and the model's signature.

1. Fresh session; a checked OT extension for the modeler's choices: its model, its nonce, where
   cells are noised its half of the bits that draw the noise, random bits for the sums it will enter
   later, and its bits of the first block of people.
2. Labels of model and nonce: the model enters once, for every criterion and the hash.
3. People, block by block (`people`), each block's transfers extended and checked before they are
   used: covariance, sums over people (`sums`); rates, decisions and group counts (`tally`).
4. The regulator's half of the noise's bits; the modeler enters the sums again under the re-entry
   check.
5. The regulator garbles the certification circuit; the modeler evaluates it.
6. The end (`ending`, `protocols.ending`): the regulator promises every output label; each side has
   committed before it sees what the other holds; the proof that the modeler entered the sums and
   scores it received is compared before anything is decoded; the modeler looks whether the outcome
   is one that a cohort can have before it opens its labels.

Both learn the verdict bits, and what else the policy discloses (`verdict`); the regulator also
learns ``s(theta) AND pass``. Nothing else is opened. Where a check fails before the regulator opens
the decoding bits nothing is decoded, by anybody, and the session's keys die with it. Of the people
one block is in memory at a time.

Where the party has several workers (`JobContext.workers`), each takes a range of the people in step
3, on a line of its own; steps 4 to 6 begin when every worker has ended well, and are the lead's.
Source: the project's protocols page, section 3, and constructions page; Kilbertus et al. (2018),
section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto import tweak_plan
from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import UsageError
from mpc_engine.protocols.certification.circuit import certification_circuit
from mpc_engine.protocols.certification.ending import (
    conclude_as_modeler,
    conclude_as_regulator,
    with_costs,
)
from mpc_engine.protocols.certification.noise import n_noise_bits
from mpc_engine.protocols.certification.people import (
    Block,
    modeler_block,
    own_choices,
    range_blocks,
    regulator_block,
    worker_ranges,
)
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.certification.sums import (
    ModelerSums,
    RegulatorSums,
    Summed,
    n_sum_wires,
)
from mpc_engine.protocols.certification.tally import ModelerTally, RegulatorTally, Tally
from mpc_engine.protocols.model_inputs import model_bits
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.secure_ops.bound_reentry import make_proof
from mpc_engine.sharing.records import RecordSource
from mpc_engine.transport.channel import Channel
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.runs import Stage


class _Sizes:
    """Public sizes of one run, the same on both sides."""

    def __init__(self, ctx: JobContext, spec: CertificationSpec, n_records: int) -> None:
        if n_records < 1:
            raise UsageError("The cohort is empty.", code="NO_RECORDS")
        self.people = n_records
        self.sums = spec.criterion(CriterionName.COVARIANCE) is not None
        self.tally = bool(spec.rate_criteria)
        self.entries = spec.real_entries
        self.ranges = worker_ranges(spec, n_records, ctx.workers.most if ctx.workers else 1)
        self.blocks = [range_blocks(spec, people) for people in self.ranges]
        self.first_block = self.blocks[0][0]
        self.first_items = self.items(self.first_block)
        self.theta_wires = (spec.n_features + 1) * spec.theta_bits
        self.model_wires = self.theta_wires + 256
        self.noise_wires = n_noise_bits(spec)
        self.first_wires = self.model_wires + self.noise_wires
        self.sum_wires = n_sum_wires(spec, n_records) if self.sums else 0
        self.wires = self.first_wires + self.sum_wires
        self.ots = self.items(slice(0, n_records)) + self.wires
        self.circuit = certification_circuit(spec, n_records)

    def items(self, people: slice) -> int:
        """Return the items of some people, one transfer each."""
        return (people.stop - people.start) * len(self.entries)


def _regulator_blocks(
    session: GarblerSession,
    records: RecordSource,
    sizes: _Sizes,
    number: int,
    first_keys: NDArray[np.uint64] | None = None,
) -> Iterator[Block]:
    """Yield a worker's people in blocks, each with transfers extended for it.

    ``first_keys``: those of the lead's first block, which are there already.
    """
    keys = first_keys
    for people in sizes.blocks[number]:
        if keys is None:
            keys = session.ot.extend(sizes.items(people))
        yield regulator_block(session, records.read(people), people, sizes.entries, keys)
        keys = None


def _modeler_blocks(
    session: EvaluatorSession,
    records: RecordSource,
    sizes: _Sizes,
    number: int,
    first_keys: NDArray[np.uint64] | None = None,
) -> Iterator[Block]:
    keys = first_keys
    for people in sizes.blocks[number]:
        held = records.read(people)
        if keys is None:
            keys = session.ot.extend(own_choices(held, sizes.entries))
        yield modeler_block(session, held, people, sizes.entries, keys)
        keys = None


@dataclass(frozen=True, repr=False)
class _Counted:
    """What a worker hands to the lead: one side's sums and tally of its people."""

    sums: Summed | None
    tally: Tally | None


_Work = Callable[[int, Channel, Randomness], _Counted]


def _add_people(
    blocks: Iterator[Block],
    sums: RegulatorSums | ModelerSums | None,
    tally: RegulatorTally | ModelerTally | None,
) -> Iterator[int]:
    """Run blocks through the sums and the tally, whichever there are; yield how far it is."""
    for block in blocks:
        if sums is not None:
            sums.add(block)
        if tally is None:
            yield block.people.stop
            continue
        for part in tally.add(block.parts()):
            yield part.people.stop


def _count_people(
    blocks: Iterator[Block],
    sums: RegulatorSums | ModelerSums | None,
    tally: RegulatorTally | ModelerTally | None,
) -> _Counted:
    """Run all the people of a worker through its sums and its tally, which begin empty."""
    for _ in _add_people(blocks, sums, tally):
        pass
    return _Counted(
        None if sums is None else sums.result(), None if tally is None else tally.result()
    )


def _add_everybody(
    ctx: JobContext,
    sizes: _Sizes,
    blocks: Iterator[Block],
    sums: RegulatorSums | ModelerSums | None,
    tally: RegulatorTally | ModelerTally | None,
    work: _Work,
) -> list[Tally]:
    """Run everybody through sums and tally, the lead's ``blocks`` here, the rest at other workers.

    Returns the workers' tallies, once each worker has ended well; their sums are in ``sums``.
    """
    stage = Stage.COUNTING_DECISIONS if tally else Stage.SUMS_OVER_PEOPLE
    ctx.progress(stage, 0, sizes.people)

    def lead() -> Iterator[None]:
        for place in _add_people(blocks, sums, tally):
            ctx.progress(stage, place * sizes.people // sizes.ranges[0].stop, sizes.people)
            yield

    n_workers = len(sizes.ranges)
    if ctx.workers is None or n_workers == 1:
        for _ in lead():
            pass
        return []
    counted = ctx.workers.run(n_workers, work, lead())
    for part in counted:
        if sums is not None and part.sums is not None:
            sums.join(part.sums)
    return [part.tally for part in counted if part.tally is not None]


def certify_as_regulator(
    ctx: JobContext, spec: CertificationSpec, records: RecordSource
) -> CertificationOutcome:
    """Run the regulator's side; ``records`` must hold the features.

    Raises CheckFailedError subclasses: SumMismatchError when the modeler entered other sums,
    DisputedError when it stopped, RefusedError when it did not let the outcome out. The end is kept
    by ``ctx.end`` before the decoding bits leave; after that `ending` only delivers it again.
    """
    n_records = len(records)
    sizes = _Sizes(ctx, spec, n_records)
    records.read(slice(0, 1)).require_features()
    session = GarblerSession(ctx)
    ctx.progress(Stage.OBLIVIOUS_TRANSFER, 0, 1)
    ot_keys = session.ot.extend(sizes.first_items + sizes.wires)
    first_keys, wires = np.split(ot_keys, [sizes.first_items])
    zero = session.labels(wires, tweak_plan.MODEL_WIRES)
    first_zero, sum_zero = np.split(zero, [sizes.first_wires])
    sums = RegulatorSums(session, spec, n_records) if sizes.sums else None
    theta_zero = first_zero[: sizes.theta_wires]
    tally = RegulatorTally(session, spec, n_records, theta_zero) if sizes.tally else None

    def work(number: int, channel: Channel, rng: Randomness) -> _Counted:
        own = session.for_worker(number, channel, rng)
        people = _regulator_blocks(own, records, sizes, number)
        return _count_people(people, sums and sums.for_worker(own), tally and tally.for_worker(own))

    blocks = _regulator_blocks(session, records, sizes, 0, first_keys)
    tallies = _add_everybody(ctx, sizes, blocks, sums, tally, work)
    inputs = [first_zero]
    if sizes.noise_wires:
        own_bits = session.rng.bits(sizes.noise_wires)
        inputs.append(session.garbler_inputs().zero_labels(own_bits))
    and_gates, ots = sizes.circuit.n_ands, sizes.ots
    mac_difference = 0
    if sums is not None:
        sum_inputs, difference = sums.enter(sum_zero)
        inputs.append(sum_inputs)
        mac_difference += difference
    if tally is not None:
        counted = tally.joined(tallies)
        inputs.append(counted.counters)
        mac_difference += counted.mac_difference
        and_gates += counted.and_gates
        ots += counted.ots
    ctx.progress(Stage.VERDICT_AND_SIGNATURE, 0, 1)
    output_zero = session.garble(sizes.circuit, np.concatenate(inputs)[None])[0]
    proof = make_proof(mac_difference)
    outcome = conclude_as_regulator(ctx, spec, n_records, session, output_zero, proof)
    ctx.progress(Stage.VERDICT_AND_SIGNATURE, 1, 1)
    return with_costs(outcome, and_gates, ots)


def certify_as_modeler(
    ctx: JobContext,
    spec: CertificationSpec,
    records: RecordSource,
    theta: Sequence[int],
    nonce: bytes,
) -> CertificationOutcome:
    """Run the modeler's side: ``theta`` d + 1 encoded integers, intercept first; 32-byte nonce.

    Raises DisputedError where it stops or refuses, having told so under its signature.
    """
    n_records = len(records)
    sizes = _Sizes(ctx, spec, n_records)
    own_model_bits = model_bits(theta, spec.n_features, spec.theta_bits, nonce)
    session = EvaluatorSession(ctx)
    ctx.progress(Stage.OBLIVIOUS_TRANSFER, 0, 1)
    first_bits = own_choices(records.read(sizes.first_block), sizes.entries)
    random_bits = session.rng.bits(sizes.sum_wires)
    noise_bits = session.rng.bits(sizes.noise_wires)
    wire_bits = np.concatenate([own_model_bits, noise_bits, random_bits])
    ot_keys = session.ot.extend(np.concatenate([first_bits, wire_bits]))
    first_keys, wires = np.split(ot_keys, [sizes.first_items])
    labels = session.labels(wires, wire_bits, tweak_plan.MODEL_WIRES)
    first_labels, sum_labels = np.split(labels, [sizes.first_wires])
    sums = ModelerSums(session, spec, n_records) if sizes.sums else None
    theta_labels = first_labels[: sizes.theta_wires]
    tally = ModelerTally(session, spec, n_records, theta, theta_labels) if sizes.tally else None

    def work(number: int, channel: Channel, rng: Randomness) -> _Counted:
        own = session.for_worker(number, channel, rng)
        people = _modeler_blocks(own, records, sizes, number)
        return _count_people(people, sums and sums.for_worker(own), tally and tally.for_worker(own))

    blocks = _modeler_blocks(session, records, sizes, 0, first_keys)
    tallies = _add_everybody(ctx, sizes, blocks, sums, tally, work)
    inputs = [first_labels]
    if sizes.noise_wires:
        inputs.append(session.garbler_inputs().take(sizes.noise_wires))
    and_gates, ots = sizes.circuit.n_ands, sizes.ots
    mac_difference = 0
    if sums is not None:
        sum_inputs, difference = sums.enter(sum_labels, random_bits)
        inputs.append(sum_inputs)
        mac_difference += difference
    if tally is not None:
        counted = tally.joined(tallies)
        inputs.append(counted.counters)
        mac_difference += counted.mac_difference
        and_gates += counted.and_gates
        ots += counted.ots
    ctx.progress(Stage.VERDICT_AND_SIGNATURE, 0, 1)
    outputs = session.evaluate(sizes.circuit, np.concatenate(inputs)[None])[0]
    proof = make_proof(mac_difference)
    outcome = conclude_as_modeler(ctx, spec, n_records, theta, nonce, outputs, proof)
    ctx.progress(Stage.VERDICT_AND_SIGNATURE, 1, 1)
    return with_costs(outcome, and_gates, ots)
