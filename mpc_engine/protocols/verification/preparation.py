"""What a verification needs before anybody knows a case, made ahead, a side at each party.

A preparation is a fresh session of its own: nonces, hash key, delta, base OTs, checked extension.

1. The modeler's choices in the transfers are random bits c; the labels it gets are of wires that
   stand for c.
2. The regulator draws another wire for each, and garbles the hash circuit on the XOR of both. Its
   own input is the certified signature, which both know to be the one of this item.
3. The tables go out under a one-time mask, whose key stays behind: so no table is seen before the
   inputs of its circuit are fixed.

In a verification, the modeler sends ``d = bit xor c``; the regulator answers with the labels of d
on the second wires and the key of the mask. An item serves one verification of any number of cases.
Sources: Beaver, "Precomputing oblivious transfer", CRYPTO 1995; Bellare, Hoang, Rogaway,
"Adaptively secure garbling", ASIACRYPT 2012, section 3.5 of the full version (masked tables).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from mpc_engine.circuits import Circuit
from mpc_engine.crypto import tweak_plan
from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.kernels.garbling import TABLE_WORDS
from mpc_engine.protocols.model_encoding import NONCE_BYTES
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.verification.circuit import hash_circuit
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.wire.codec import ByteReader

SIGNATURE_BITS = 256
STOCK_ID_BYTES = 32
_HASH_KEY_BYTES = 16
_STOCK_ID_TAG = b"blindjustice/v1/verification/stock-id"


@dataclass(frozen=True, repr=False, eq=False)
class GarblerItem:
    """The regulator's side: all of it secret but ``stock_id`` and ``hash_key``.

    ``model_zero``, ``flip_zero`` uint64 (wires, 2): zero labels of the circuit's model wires, and
    of those that stand for the modeler's flips; ``equal_zero`` uint64 (1, 2) of its output.
    """

    stock_id: bytes
    hash_key: bytes
    delta: NDArray[np.uint64]
    model_zero: NDArray[np.uint64]
    flip_zero: NDArray[np.uint64]
    equal_zero: NDArray[np.uint64]
    table_key: bytes

    def __repr__(self) -> str:
        return "GarblerItem(<secret>)"

    def encode(self) -> bytes:
        """Return the side as bytes, without its id."""
        arrays = (self.delta, self.model_zero, self.flip_zero, self.equal_zero)
        return b"".join([self.hash_key, self.table_key, *(_octets(array) for array in arrays)])


@dataclass(frozen=True, repr=False, eq=False)
class EvaluatorItem:
    """The modeler's side: ``choices`` and ``labels`` are secret.

    ``choices`` uint8 (wires,); ``labels`` uint64 (wires, 2) that stand for them;
    ``signature_labels`` uint64 (256, 2); ``masked_tables`` uint64 (1, AND gates, 4).
    """

    stock_id: bytes
    hash_key: bytes
    choices: NDArray[np.uint8]
    labels: NDArray[np.uint64]
    signature_labels: NDArray[np.uint64]
    masked_tables: NDArray[np.uint64]

    def __repr__(self) -> str:
        return "EvaluatorItem(<secret>)"

    def encode(self) -> bytes:
        """Return the side as bytes, without its id."""
        arrays = (self.labels, self.signature_labels, self.masked_tables)
        octets = (_octets(array) for array in arrays)
        return b"".join([self.hash_key, self.choices.tobytes(), *octets])


def n_model_wires(spec: VerificationSpec) -> int:
    """Return how many bits the modeler puts in: coefficients, then nonce."""
    return (spec.n_features + 1) * spec.theta_bits + 8 * NONCE_BYTES


def prepare_as_regulator(
    ctx: JobContext, spec: VerificationSpec, certified_signature: bytes
) -> GarblerItem:
    """Make an item for verifications under ``certified_signature``.

    Raises OTConsistencyError if the modeler cheated: nothing of the session may be used. Learns
    nothing. Sends 32 bytes an AND gate and 16 a wire, and base OTs.
    """
    n_wires = n_model_wires(spec)
    session = GarblerSession(ctx)
    choice_zero = session.enter(n_wires, tweak_plan.MODEL_WIRES)
    flip_zero = session.rng.words(n_wires, 2)
    model_zero = choice_zero ^ flip_zero
    signature_zero = session.garbler_inputs().zero_labels(signature_bits(certified_signature))
    circuit = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    garbled = session.garbler.garble(circuit, np.concatenate([model_zero, signature_zero])[None])
    table_key = session.rng.bytes(SEED_BYTES)
    session.channel.send_array(ProtocolTag.MASKED_TABLES, masked(garbled.tables, table_key))
    return GarblerItem(
        stock_id=_stock_id(session.session_id),
        hash_key=session.hash_key,
        delta=session.delta,
        model_zero=model_zero,
        flip_zero=flip_zero,
        equal_zero=garbled.output_zero_labels[0],
        table_key=table_key,
    )


def prepare_as_modeler(ctx: JobContext, spec: VerificationSpec) -> EvaluatorItem:
    """Make the other side; no input of the modeler's enters. Learns nothing."""
    session = EvaluatorSession(ctx)
    choices = session.rng.bits(n_model_wires(spec))
    labels = session.enter(choices, tweak_plan.MODEL_WIRES)
    signature_labels = session.garbler_inputs().take(SIGNATURE_BITS)
    shape = _tables_shape(hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits))
    return EvaluatorItem(
        stock_id=_stock_id(session.session_id),
        hash_key=session.hash_key,
        choices=choices,
        labels=labels,
        signature_labels=signature_labels,
        masked_tables=session.channel.recv_array(ProtocolTag.MASKED_TABLES, np.uint64, shape),
    )


def decode_garbler_item(spec: VerificationSpec, stock_id: bytes, data: bytes) -> GarblerItem:
    """Return the regulator's side from its bytes; DecodeError if they are of another shape."""
    reader = ByteReader(data, "prepared side")
    hash_key, table_key = reader.take(_HASH_KEY_BYTES), reader.take(SEED_BYTES)
    n_wires = n_model_wires(spec)
    shapes = ((2,), (n_wires, 2), (n_wires, 2), (1, 2))
    delta, model_zero, flip_zero, equal_zero = (reader.array("<u8", shape) for shape in shapes)
    reader.finish()
    return GarblerItem(stock_id, hash_key, delta, model_zero, flip_zero, equal_zero, table_key)


def decode_evaluator_item(spec: VerificationSpec, stock_id: bytes, data: bytes) -> EvaluatorItem:
    """Return the modeler's side from its bytes; DecodeError if they are of another shape."""
    reader = ByteReader(data, "prepared side")
    n_wires = n_model_wires(spec)
    hash_key, choices = reader.take(_HASH_KEY_BYTES), reader.array("u1", (n_wires,))
    labels = reader.array("<u8", (n_wires, 2))
    signature_labels = reader.array("<u8", (SIGNATURE_BITS, 2))
    circuit = hash_circuit(spec.config_digest, spec.n_features, spec.theta_bits)
    tables = reader.array("<u8", _tables_shape(circuit))
    reader.finish()
    return EvaluatorItem(stock_id, hash_key, choices, labels, signature_labels, tables)


def masked(tables: NDArray[np.uint64], key: bytes) -> NDArray[np.uint64]:
    """Return tables under the mask of a key, or out of it; a key masks one circuit's tables."""
    return Prg(key).words(*tables.shape) ^ tables


def signature_bits(signature: bytes) -> NDArray[np.uint8]:
    """Return the bits of a model's signature as the circuit reads them, uint8 (256,)."""
    return np.unpackbits(np.frombuffer(signature, dtype=np.uint8), bitorder="big")


def _stock_id(session_id: bytes) -> bytes:
    return sha256(_STOCK_ID_TAG + session_id).digest()


def _tables_shape(circuit: Circuit) -> tuple[int, int, int]:
    return 1, circuit.n_ands, TABLE_WORDS


def _octets(array: NDArray[np.uint64]) -> bytes:
    return array.astype("<u8", copy=False).tobytes()
