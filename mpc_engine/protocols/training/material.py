"""Offline material for a block of steps: products of masks with rows, and labels to enter shares.

All of it is made for random values before the steps that use it, fresh for every step. The
regulator's masks of theta, of sigmoid outputs and of forces choose; the modeler's rows and its
share of A are sent. The modeler's masks ``theta_cover`` and ``force_cover`` choose; the regulator's
share of A is sent. Shares are in the rings of their results.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpc_engine.crypto.tweak_plan import material_labels, material_products
from mpc_engine.garbling.labels import BitArray
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession
from mpc_engine.protocols.training.ring_wires import RingWords, ring_mask
from mpc_engine.protocols.training.spec import TrainingSpec


def entered_wires(spec: TrainingSpec) -> int:
    """Return the wires on which the modeler enters shares in one step."""
    n_scores = spec.batch_size + len(spec.bounds)
    return n_scores * spec.score_width + spec.n_columns * spec.gradient_width


@dataclass(frozen=True, repr=False, eq=False)
class ProductShares:
    """A party's shares for s steps.

    ``matrices`` (s, p, d): of A; ``scores`` (s, batch + p): rows and A_M times the mask of theta;
    ``loss`` (s, d): rows times the mask of sigmoid outputs; ``force`` (s, d): A_M times the mask of
    forces; ``covered_values`` (s, p): A_R times theta's cover; ``covered_force`` (s, d): A_R times
    the force's cover.
    """

    matrices: RingWords
    scores: RingWords
    loss: RingWords
    force: RingWords
    covered_values: RingWords
    covered_force: RingWords


@dataclass(frozen=True, repr=False, eq=False)
class RegulatorBlock:
    """The regulator's material: masks (s, d), (s, batch), (s, p); zero labels (s, wires, 2)."""

    theta_masks: RingWords
    output_masks: RingWords
    force_masks: RingWords
    shares: ProductShares
    zero_labels: RingWords


@dataclass(frozen=True, repr=False, eq=False)
class ModelerBlock:
    """The modeler's material: covers (s, d), (s, p); random bits (s, wires) and their labels."""

    theta_covers: RingWords
    force_covers: RingWords
    shares: ProductShares
    random_bits: BitArray
    labels: RingWords


def make_block_as_regulator(
    session: GarblerSession,
    products: RandomOTReceiver,
    spec: TrainingSpec,
    matrices: RingWords,
    theta_masks: RingWords,
    block: int,
) -> RegulatorBlock:
    """Make the material of s steps; ``matrices`` uint64 (s, p, d) are its shares of their A.

    ``theta_masks`` uint64 (s, d): the first is that of the iterate before the block; ``block``
    counts blocks from 0.
    """
    s, p, d = matrices.shape
    rng = session.rng
    ring = ring_mask(spec.gradient_width)
    output_masks = rng.words(s, spec.batch_size) & ring
    force_masks = rng.words(s, p) & ring
    numbers = material_products(block)
    width, gradient = spec.score_width, spec.gradient_width
    n_scores = spec.batch_size + p
    scores = session.recv_products(products, theta_masks, n_scores, width, numbers[0])
    loss = session.recv_products(products, output_masks, d, gradient, numbers[1])
    force = session.recv_products(products, force_masks, d, gradient, numbers[2])
    columns = np.ascontiguousarray(matrices.transpose(0, 2, 1) & ring_mask(width))
    values = session.send_products(session.ot, columns, width, numbers[3])
    rows = np.ascontiguousarray(matrices & ring)
    covered = session.send_products(session.ot, rows, gradient, numbers[4])
    n_wires = s * entered_wires(spec)
    zero = session.enter(n_wires, material_labels(block))
    shares = ProductShares(matrices, scores, loss, force, values, covered)
    return RegulatorBlock(theta_masks, output_masks, force_masks, shares, zero.reshape(s, -1, 2))


def make_block_as_modeler(
    session: EvaluatorSession,
    products: RandomOTSender,
    spec: TrainingSpec,
    matrices: RingWords,
    rows: RingWords,
    block: int,
) -> ModelerBlock:
    """Make the material of s steps: ``rows`` uint64 (s, batch, d), ``matrices`` (s, p, d)."""
    s, p, d = matrices.shape
    rng = session.rng
    width, gradient = spec.score_width, spec.gradient_width
    ring = ring_mask(gradient)
    theta_covers = rng.words(s, d) & ring_mask(width)
    force_covers = rng.words(s, p) & ring
    numbers = material_products(block)
    columns = np.concatenate([rows.transpose(0, 2, 1), matrices.transpose(0, 2, 1)], axis=2)
    columns &= ring_mask(width)
    scores = session.send_products(products, columns, width, numbers[0])
    ringed = np.ascontiguousarray(rows & ring)
    loss = session.send_products(products, ringed, gradient, numbers[1])
    own = np.ascontiguousarray(matrices & ring)
    force = session.send_products(products, own, gradient, numbers[2])
    values = session.recv_products(session.ot, theta_covers, p, width, numbers[3])
    covered = session.recv_products(session.ot, force_covers, d, gradient, numbers[4])
    bits = rng.bits(s * entered_wires(spec))
    labels = session.enter(bits, material_labels(block))
    shares = ProductShares(matrices, scores, loss, force, values, covered)
    return ModelerBlock(
        theta_covers, force_covers, shares, bits.reshape(s, -1), labels.reshape(s, -1, 2)
    )
