"""Promises of output labels: what holds a garbler to one bit for each label that it gets back.

The garbler sends, for every output wire, SHA-256 of both labels in the order of their colours. An
evaluator that returns a label only if it hashes to the promise of its colour tells one bit by it,
whatever was garbled. The other label of a wire stays hidden: its hash is a test of ``delta``, which
is uniform but for its lowest bit. The garbler accepts a label iff it hashes to its promise, so that
it may forget ``delta`` before labels come back.

A hash covers a label, the wire's number, the garbler and the job. It has 32 bytes: the garbler
chooses both preimages, and with 20 it would find collisions in 2^80.
"""

from __future__ import annotations

import hashlib
import hmac

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import BrokenPromiseError, ForgedLabelError, UsageError
from mpc_engine.garbling.labels import BitArray, Labels, colour_bits, require_labels
from mpc_engine.roles import GARBLER, Role
from mpc_engine.wire.codec import length_prefixed, u32

PROMISE_BYTES = 32
Promises = NDArray[np.uint8]
"""uint8[n, 2, 32]: of n wires, the hashes of the label of colour 0 and of colour 1."""

_LABEL = b"blindjustice/v2/garbling/output-promise"


def make_promises(
    zero_labels: Labels, delta: Labels, job_digest: bytes, garbler: Role = GARBLER
) -> Promises:
    """Return the promises of output wires, for ``zero_labels`` uint64[n, 2]."""
    zero_colours = colour_bits(zero_labels)
    by_colour = np.stack([zero_labels, zero_labels ^ delta], axis=1)
    by_colour[zero_colours == 1] = by_colour[zero_colours == 1][:, ::-1]
    hashes = [_hashes(by_colour[:, colour], job_digest, garbler) for colour in (0, 1)]
    return np.stack(hashes, axis=1)


def require_promised(
    labels: Labels, promises: Promises, job_digest: bytes, garbler: Role = GARBLER
) -> None:
    """Return if every label uint64[n, 2] that was evaluated keeps its promise.

    Raises BrokenPromiseError, the garbler's fault: ``PROMISES_ALIKE`` if two promises of a wire are
    equal, ``PROMISE_BROKEN``. Nothing that depends on the labels may be sent then but that.
    """
    _require_shape(labels, promises)
    if _any_alike(promises):
        raise BrokenPromiseError(
            "The regulator promised one label for both values of an output.", code="PROMISES_ALIKE"
        )
    if not _keep(labels, promises, job_digest, garbler):
        raise BrokenPromiseError("The regulator's circuit gave an output that it had not promised.")


def are_promised(labels: Labels, promises: Promises, job_digest: bytes, garbler: Role) -> bool:
    """Return whether `require_promised` would return, after the same work for either answer."""
    _require_shape(labels, promises)
    answers = (_keep(labels, promises, job_digest, garbler), not _any_alike(promises))
    return all(answers)


def promised_colours(
    labels: Labels, promises: Promises, job_digest: bytes, garbler: Role = GARBLER
) -> BitArray:
    """Return the colours uint8[n] of returned labels uint64[n, 2] that all keep their promises.

    Raises ``ForgedLabelError``, the evaluator's fault, if any does not; nothing may be decoded
    then. All labels are compared at once, in a time that depends on their number alone.
    """
    _require_shape(labels, promises)
    if not _keep(labels, promises, job_digest, garbler):
        raise ForgedLabelError("The other party returned an output that the circuit cannot give.")
    return colour_bits(labels)


def _any_alike(promises: Promises) -> bool:
    return bool(np.any(np.all(promises[:, 0] == promises[:, 1], axis=-1)))


def _keep(labels: Labels, promises: Promises, job_digest: bytes, garbler: Role) -> bool:
    promised = promises[np.arange(len(labels)), colour_bits(labels)]
    hashes = _hashes(labels, job_digest, garbler)
    return hmac.compare_digest(promised.tobytes(), hashes.tobytes())


def _hashes(labels: Labels, job_digest: bytes, garbler: Role) -> NDArray[np.uint8]:
    """Return the hash of each label, uint8[n, 32], by its wire's number."""
    start = hashlib.sha256(length_prefixed(_LABEL, job_digest, garbler.value.encode("ascii")))
    octets = np.ascontiguousarray(labels, dtype="<u8").tobytes()
    digests = bytearray()
    for wire in range(len(labels)):
        hashed = start.copy()
        hashed.update(u32(wire) + octets[16 * wire : 16 * wire + 16])
        digests += hashed.digest()
    return np.frombuffer(bytes(digests), dtype=np.uint8).reshape(len(labels), PROMISE_BYTES)


def _require_shape(labels: Labels, promises: Promises) -> None:
    require_labels(labels)
    if labels.ndim != 2 or promises.shape != (len(labels), 2, PROMISE_BYTES):
        raise UsageError("There are two promises for each output wire.")
    if promises.dtype != np.uint8:
        raise UsageError("Promises are bytes.")
