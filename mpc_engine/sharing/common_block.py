"""The common block C, which both parties' plaintexts begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpc_engine.crypto.digests import DIGEST_BYTES, sha256
from mpc_engine.roles import OTDirection
from mpc_engine.sharing.layout import HASHES_PER_ENTRY, ID_BYTES, EnvelopeLayout
from mpc_engine.wire.codec import ByteReader, i32, u8, u16, u32

_KEY_DOMAIN = b"bj1 key"
_DATA_DOMAIN = b"bj1 data"
_SUBMISSION_DOMAIN = b"bj1 submission"


class KeyHasher:
    """Hashes the keys of one submission, bound to configuration, record and submission id."""

    def __init__(self, config_digest: bytes, record_id: bytes, submission_id: bytes) -> None:
        self._prefix = _KEY_DOMAIN + config_digest + record_id + submission_id

    def __call__(self, entry: int, direction: OTDirection, bit: int, key: bytes) -> bytes:
        """Return the 32-byte hash of a 16-byte key at (entry, direction, bit)."""
        return sha256(self._prefix, u16(entry), u8(direction), u8(bit), key)


def data_commitment(blind: bytes, data: bytes) -> bytes:
    """Return SHA-256("bj1 data" | blind | data); no data where they come by file."""
    return sha256(_DATA_DOMAIN, blind, data)


def encode_data(features: Sequence[int], label: int) -> bytes:
    """Return x as int32 per feature in schema order, then y as one byte."""
    return b"".join(i32(value) for value in features) + u8(label)


def submission_message(common_digest: bytes, digest_m: bytes, digest_r: bytes) -> bytes:
    """Return what the owner signs: "bj1 submission" and the digests of C and of both envelopes."""
    return _SUBMISSION_DOMAIN + common_digest + digest_m + digest_r


@dataclass(frozen=True)
class CommonBlock:
    """The decoded common block; holds nothing that tells an answer.

    ``key_hashes[entry]`` holds the hashes of k0, k1 (the regulator sends) and k'0, k'1 (the
    modeler sends), so that direction d and bit c stand at index ``2 d + c``.
    """

    version: int
    config_digest: bytes
    record_id: bytes
    submission_id: bytes
    sequence: int
    n_entries: int
    owner_key_hash: bytes
    commitment: bytes
    key_hashes: tuple[tuple[bytes, ...], ...]

    def encode(self) -> bytes:
        """Return the block's bytes."""
        return b"".join(
            (
                u16(self.version),
                self.config_digest,
                self.record_id,
                self.submission_id,
                u32(self.sequence),
                u16(self.n_entries),
                self.owner_key_hash,
                self.commitment,
                *(hashed for entry in self.key_hashes for hashed in entry),
            )
        )

    @classmethod
    def read(cls, reader: ByteReader, layout: EnvelopeLayout) -> CommonBlock:
        """Read a block of the layout's size; the caller compares its fields with the expected."""
        return cls(
            version=reader.u16(),
            config_digest=reader.take(DIGEST_BYTES),
            record_id=reader.take(ID_BYTES),
            submission_id=reader.take(ID_BYTES),
            sequence=reader.u32(),
            n_entries=reader.u16(),
            owner_key_hash=reader.take(DIGEST_BYTES),
            commitment=reader.take(DIGEST_BYTES),
            key_hashes=tuple(
                tuple(reader.take(DIGEST_BYTES) for _ in range(HASHES_PER_ENTRY))
                for _ in range(layout.n_entries)
            ),
        )
