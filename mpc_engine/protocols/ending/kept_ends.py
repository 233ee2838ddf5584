"""What each party keeps of an end, as bytes for its encrypted store: enough to deliver it again.

The regulator's holds no ``delta`` and no label, only hashes of labels.
Both kept ends are secret all the same: the decoding bits, with the labels, are the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from mpc_engine.garbling.labels import BitArray, Labels
from mpc_engine.garbling.promises import PROMISE_BYTES, Promises
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.wire.codec import ByteReader, length_prefixed

_LABEL_BYTES = 16


class EndKind(StrEnum):
    """Which protocol ends; a verification opens nothing to the modeler, and has no proof."""

    CERTIFICATION = "certification"
    VERIFICATION = "verification"

    @property
    def last_tag(self) -> ProtocolTag:
        """Return the regulator's last message, which calls for the labels."""
        if self is EndKind.CERTIFICATION:
            return ProtocolTag.DECODING_OPENING
        return ProtocolTag.LABELS_CALL


@dataclass(frozen=True, repr=False, eq=False)
class RegulatorEnd:
    """The regulator's kept end, kept before its last message leaves.

    ``digest``: the running digest before that message, whose bytes are ``message``, signature
    included. ``promises`` uint8 (n, 2, 32), ``decoding`` uint8 (n,) of n outputs; ``commitment``:
    the modeler's to its labels; ``proof``: the one both had, for an audit; empty without one.
    """

    kind: EndKind
    job_digest: bytes
    digest: bytes
    message: bytes
    promises: Promises
    decoding: BitArray
    commitment: bytes
    proof: bytes

    def __repr__(self) -> str:
        return "RegulatorEnd(<secret>)"

    def encode(self) -> bytes:
        """Return the kept end as bytes."""
        return length_prefixed(
            self.kind.value.encode("ascii"),
            self.job_digest,
            self.digest,
            self.message,
            self.promises.tobytes(),
            self.decoding.tobytes(),
            self.commitment,
            self.proof,
        )

    @classmethod
    def decode(cls, data: bytes) -> RegulatorEnd:
        """Return the kept end from its bytes; DecodeError if they are of another shape."""
        parts = _parts(data, 8)
        kind, job_digest, digest, message, promises, decoding, commitment, proof = parts
        bits = np.frombuffer(decoding, dtype=np.uint8)
        reader = ByteReader(promises, "kept end")
        shaped: Promises = reader.array("u1", (len(bits), 2, PROMISE_BYTES))
        reader.finish()
        return cls(_kind(kind), job_digest, digest, message, shaped, bits, commitment, proof)


@dataclass(frozen=True, repr=False, eq=False)
class ModelerEnd:
    """The modeler's kept end, kept before its last message but one leaves.

    ``digest``: the running digest after that message; ``commitment``: the regulator's to the
    decoding bits, empty in a verification; ``labels`` uint64 (n, 2) and their ``salt``;
    ``private``: what the protocol needs again to look at the outcome, the model's nonce.
    """

    kind: EndKind
    job_digest: bytes
    digest: bytes
    commitment: bytes
    labels: Labels
    salt: bytes
    private: bytes

    def __repr__(self) -> str:
        return "ModelerEnd(<secret>)"

    def encode(self) -> bytes:
        """Return the kept end as bytes."""
        return length_prefixed(
            self.kind.value.encode("ascii"),
            self.job_digest,
            self.digest,
            self.commitment,
            label_bytes(self.labels),
            self.salt,
            self.private,
        )

    @classmethod
    def decode(cls, data: bytes) -> ModelerEnd:
        """Return the kept end from its bytes; DecodeError if they are of another shape."""
        kind, job_digest, digest, commitment, labels, salt, private = _parts(data, 7)
        return cls(_kind(kind), job_digest, digest, commitment, labels_of(labels), salt, private)


def label_bytes(labels: Labels) -> bytes:
    """Return labels uint64 (n, 2) as they travel, 16 bytes each."""
    return labels.astype("<u8", copy=False).tobytes()


def labels_of(data: bytes) -> Labels:
    """Return labels uint64 (n, 2) from the bytes of `label_bytes`."""
    reader = ByteReader(data, "row of labels")
    labels: Labels = reader.array("<u8", (len(data) // _LABEL_BYTES, 2))
    reader.finish()
    return labels


def _kind(data: bytes) -> EndKind:
    try:
        return EndKind(data.decode("ascii"))
    except ValueError:
        raise ByteReader(data, "kept end").error("is of no kind that there is") from None


def _parts(data: bytes, n: int) -> list[bytes]:
    reader = ByteReader(data, "kept end")
    parts = [reader.take(reader.u32()) for _ in range(n)]
    reader.finish()
    return parts
