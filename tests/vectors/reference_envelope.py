"""The envelope format written a second time, from its specification alone.

Imports nothing of the engine: what the engine and the browser code make is compared with this, so
that one wrong reading doesn't pass twice. ``Draft`` keeps every field apart, so that a must-fail
case can change exactly one of them.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from tests.vectors.reference_hpke import HPKE_SUITE, public_key_of, reference_seal
from tests.vectors.stream import Stream

ROLES = ("modeler", "regulator")


def digest(*parts: bytes) -> bytes:
    """Return SHA-256 of the concatenation."""
    return hashlib.sha256(b"".join(parts)).digest()


@dataclass
class Study:
    """What the format needs of a study."""

    study_id: bytes
    config_digest: bytes
    category_counts: list[int]
    data_holder: str
    data_by_file: bool
    feature_ranges: list[list[int]]

    def to_json(self) -> dict[str, Any]:
        """Return the study as vectors state it."""
        return {
            "study_id": self.study_id.hex(),
            "config_digest": self.config_digest.hex(),
            "category_counts": self.category_counts,
            "data_holder": self.data_holder,
            "data_by_file": self.data_by_file,
            "feature_ranges": self.feature_ranges,
        }


class PartyKey:
    """A party's study key."""

    def __init__(self, label: str) -> None:
        self.private = Stream(label).bytes(96)
        self.public = public_key_of(self.private)
        self.key_id = digest(self.public)[:16]

    def to_json(self) -> dict[str, str]:
        """Return the key as vectors state it, private half included."""
        return {
            "key_id": self.key_id.hex(),
            "public_key": self.public.hex(),
            "private_key": self.private.hex(),
        }


class Owner:
    """A person's signing key; its signatures repeat (RFC 6979)."""

    def __init__(self, label: str) -> None:
        self.secret = int.from_bytes(Stream(label).bytes(31), "big") + 1
        self._key = ec.derive_private_key(self.secret, ec.SECP256R1())
        self.public = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )

    def sign(self, message: bytes) -> bytes:
        """Return raw r || s over SHA-256."""
        algorithm = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
        r, s = decode_dss_signature(self._key.sign(message, algorithm))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def credential(code: bytes, role: str) -> bytes:
    """Return what a party checks in place of the invitation code."""
    return digest(b"bj1 cred", code, role.encode())


def seal_info(
    study: Study, purpose: str, role: str, *ids: bytes, sequence: int, sealed_as: bytes = b"bj2"
) -> bytes:
    """Return the HPKE info; ``ids`` = key id, record id, submission id."""
    parts = [sealed_as, purpose.encode(), role.encode(), study.study_id, study.config_digest, *ids]
    parts.append(struct.pack("<I", sequence))
    return b"".join(struct.pack("<I", len(part)) + part for part in parts)


@dataclass
class Draft:
    """A submission before sealing, field by field."""

    study: Study
    answers: list[int]
    features: list[int] | None
    label: int
    record_id: bytes
    submission_id: bytes
    code: bytes
    sequence: int
    owner: Owner
    common: dict[str, bytes] = field(default_factory=dict)
    hashes: list[list[bytes]] = field(default_factory=list)
    credentials: dict[str, bytes] = field(default_factory=dict)
    shares: dict[str, list[int]] = field(default_factory=dict)
    keys: list[list[bytes]] = field(default_factory=list)
    chosen: dict[str, list[bytes]] = field(default_factory=dict)
    blind: bytes = b""
    data: bytes = b""

    def key_hash(self, entry: int, slot: int, key: bytes) -> bytes:
        """Return the hash of the key in ``slot``: k0, k1, k'0, k'1."""
        place = struct.pack("<HBB", entry, slot // 2, slot % 2)
        ids = (self.study.config_digest, self.record_id, self.submission_id)
        return digest(b"bj1 key", *ids, place, key)

    def common_bytes(self) -> bytes:
        """Return the common block."""
        return b"".join(self.common.values()) + b"".join(h for e in self.hashes for h in e)

    def share_bytes(self, role: str) -> bytes:
        """Return a party's plaintext."""
        parts = [self.common_bytes(), self.credentials[role]]
        for share, keys, chosen in zip(
            self.shares[role], self.keys, self.chosen[role], strict=True
        ):
            parts.append(struct.pack("<Q", share))
            if role == "modeler":
                parts += [chosen, keys[2], keys[3]]
            else:
                parts += [keys[0], keys[1], chosen]
        if role == self.study.data_holder:
            parts += [self.blind, self.data]
        return b"".join(parts)


def draft(
    study: Study,
    *,
    answers: list[int],
    features: list[int] | None,
    label: int,
    record_id: bytes,
    code: bytes,
    sequence: int,
    owner: Owner,
    randomness: bytes,
) -> Draft:
    """Lay out an honest submission.

    ``randomness`` holds the submission id, r per entry, four keys per entry, and the blind.
    """
    entries: list[int] = []
    for answer, count in zip(answers, study.category_counts, strict=True):
        one_hot = [0] * count
        one_hot[answer] = 1
        entries += one_hot
    n = len(entries)
    submission_id, rest = randomness[:16], randomness[16:]
    masks = struct.unpack(f"<{n}Q", rest[: 8 * n])
    drawn = rest[8 * n : 72 * n]
    made = Draft(
        study, answers, features, label, record_id, submission_id, code, sequence, owner,
        blind=rest[72 * n : 72 * n + 32],
    )  # fmt: skip
    made.shares = {
        "modeler": [(z - r) % 2**64 for z, r in zip(entries, masks, strict=True)],
        "regulator": list(masks),
    }
    made.keys = [[drawn[64 * e + 16 * slot :][:16] for slot in range(4)] for e in range(n)]
    made.chosen = {
        "modeler": [made.keys[e][s % 2] for e, s in enumerate(made.shares["modeler"])],
        "regulator": [made.keys[e][2 + s % 2] for e, s in enumerate(made.shares["regulator"])],
    }
    made.hashes = [
        [made.key_hash(e, slot, key) for slot, key in enumerate(keys)]
        for e, keys in enumerate(made.keys)
    ]
    made.credentials = {role: credential(code, role) for role in ROLES}
    if features is not None:
        made.data = struct.pack(f"<{len(features)}iB", *features, label)
    made.common = {
        "version": struct.pack("<H", 2),
        "config_digest": study.config_digest,
        "record_id": record_id,
        "submission_id": submission_id,
        "sequence": struct.pack("<I", sequence),
        "n_entries": struct.pack("<H", n),
        "owner_key_hash": digest(owner.public),
        "commitment": digest(b"bj1 data", made.blind, made.data),
    }
    return made


def seal_share(
    made: Draft, role: str, key: PartyKey, drawn: bytes, bound: dict[str, Any] | None = None
) -> tuple[bytes, bytes]:
    """Return (info, envelope); ``bound`` replaces parts of the context, as a cheat would."""
    bound = bound or {}
    info = seal_info(
        bound.get("study", made.study),
        bound.get("purpose", "submission"),
        bound.get("role", role),
        bound.get("key_id", key.key_id),
        bound.get("record_id", made.record_id),
        bound.get("submission_id", made.submission_id),
        sequence=bound.get("sequence", made.sequence),
        sealed_as=bound.get("sealed_as", b"bj2"),
    )
    public = bound.get("public_key", key.public)
    suite = bound.get("suite", HPKE_SUITE)
    sealed = reference_seal(drawn, public, info, made.share_bytes(role), suite)
    return info, struct.pack("<H", 2) + key.key_id + sealed


def signed_message(common: bytes, envelopes: dict[str, bytes]) -> bytes:
    """Return what the owner signs."""
    shares = [digest(envelopes[role]) for role in ROLES]
    return b"bj1 submission" + digest(common) + b"".join(shares)
