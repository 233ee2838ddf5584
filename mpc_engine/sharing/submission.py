"""The person's side: share the answers, deal the keys, seal a share per party, sign the pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import UsageError
from mpc_engine.params import ENVELOPE_VERSION
from mpc_engine.ring.shares import low_bits, split
from mpc_engine.roles import OTDirection, Role
from mpc_engine.sharing.common_block import (
    CommonBlock,
    KeyHasher,
    data_commitment,
    encode_data,
    submission_message,
)
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.layout import (
    BLIND_BYTES,
    ID_BYTES,
    KEY_BYTES,
    EnvelopeLayout,
)
from mpc_engine.sharing.sealed import Purpose, SealContext, seal_envelope
from mpc_engine.vocabulary.rates import UNKNOWN_LABEL
from mpc_engine.wire.codec import fixed, u64

if TYPE_CHECKING:
    from mpc_engine.crypto.rng import Randomness

KEYS_PER_ENTRY = 4
FIRST_BELOW, LARGEST_LEAP, SEQUENCE_END = 1 << 31, 1 << 21, 1 << 32


@dataclass
class PreparedSubmission:
    """What leaves the person's machine; nothing in it tells an answer to one party alone."""

    record_id: bytes
    submission_id: bytes
    sequence: int
    envelopes: dict[Role, bytes]
    owner_public_key: bytes
    signature: bytes
    common_digest: bytes


@dataclass(frozen=True)
class SubmissionPlaintexts:
    """The two shares before sealing; secret, and shown nowhere."""

    common: bytes
    shares: dict[Role, bytes]

    def __repr__(self) -> str:
        return "<SubmissionPlaintexts>"


def next_sequence(highest: int | None, rng: Randomness) -> int:
    """Return the number of the version after her own up to ``highest``, None before the first.

    The first is uniform below 2^31, a later one higher by 1 to 2^21, uniformly. So one number after
    k replacements is about k/2048 from one after none, in total variation; two numbers, seen at
    different times, tell that it was replaced between and, roughly, how often.

    Raises:
        UsageError: ``NUMBERS_USED_UP``, after 1,024 replacements at the earliest.
    """
    drawn = int.from_bytes(rng.bytes(4), "little")
    if highest is None:
        return drawn % FIRST_BELOW
    following = highest + 1 + drawn % LARGEST_LEAP
    if following >= SEQUENCE_END:
        raise UsageError(
            "This answer was replaced so often that no number is left for another version; "
            "the last one with two receipts still counts.",
            code="NUMBERS_USED_UP",
        )
    return following


def prepare_submission(
    layout: EnvelopeLayout,
    answers: Sequence[int],
    *,
    features: Sequence[int] | None,
    label: int | None,
    record_id: bytes,
    invitation_code: bytes,
    sequence: int,
    owner_key: P256SigningKey,
    party_keys: Mapping[Role, tuple[bytes, bytes]],
    rng: Randomness,
) -> PreparedSubmission:
    """Turn a person's answers into the two sealed, signed shares of a submission.

    ``answers``: index of the chosen category per attribute ("prefer not to say" is the last).
    ``features``: encoded x in schema order, None where the data come by file; ``label``: 0, 1 or
    None for unknown. ``party_keys``: (key id, public HPKE key) of the study per party.
    UsageError for anything that intake would refuse.
    """
    fixed(record_id, ID_BYTES, "record id")
    submission_id = rng.bytes(ID_BYTES)
    plaintexts = compose_plaintexts(
        layout,
        answers,
        features=features,
        label=label,
        record_id=record_id,
        submission_id=submission_id,
        invitation_code=invitation_code,
        sequence=sequence,
        owner_public_key=owner_key.public_bytes,
        rng=rng,
    )
    envelopes = {}
    for role in Role:
        key_id, public_key = party_keys[role]
        context = SealContext(
            Purpose.SUBMISSION,
            role,
            layout.study_id,
            layout.config_digest,
            key_id,
            record_id,
            submission_id,
            sequence,
        )
        envelopes[role] = seal_envelope(context, public_key, plaintexts.shares[role])
    common_digest = sha256(plaintexts.common)
    message = submission_message(
        common_digest, sha256(envelopes[Role.MODELER]), sha256(envelopes[Role.REGULATOR])
    )
    return PreparedSubmission(
        record_id=record_id,
        submission_id=submission_id,
        sequence=sequence,
        envelopes=envelopes,
        owner_public_key=owner_key.public_bytes,
        signature=owner_key.sign(message),
        common_digest=common_digest,
    )


def compose_plaintexts(
    layout: EnvelopeLayout,
    answers: Sequence[int],
    *,
    features: Sequence[int] | None,
    label: int | None,
    record_id: bytes,
    submission_id: bytes,
    invitation_code: bytes,
    sequence: int,
    owner_public_key: bytes,
    rng: Randomness,
) -> SubmissionPlaintexts:
    """Return both plaintexts. Draws, in this order: r per entry, four keys per entry, the blind."""
    data = _checked_data(layout, features, label)
    share_m, share_r = split(np.array(layout.one_hot(answers), dtype=np.uint64), rng)
    drawn = rng.bytes(KEYS_PER_ENTRY * KEY_BYTES * layout.n_entries)
    keys = [drawn[i : i + KEY_BYTES] for i in range(0, len(drawn), KEY_BYTES)]
    blind = rng.bytes(BLIND_BYTES)

    hash_key = KeyHasher(layout.config_digest, record_id, submission_id)
    slots = [(direction, bit) for direction in OTDirection for bit in (0, 1)]
    common = CommonBlock(
        version=ENVELOPE_VERSION,
        config_digest=layout.config_digest,
        record_id=record_id,
        submission_id=submission_id,
        sequence=sequence,
        n_entries=layout.n_entries,
        owner_key_hash=sha256(owner_public_key),
        commitment=data_commitment(blind, data),
        key_hashes=tuple(
            tuple(
                hash_key(entry, direction, bit, keys[KEYS_PER_ENTRY * entry + slot])
                for slot, (direction, bit) in enumerate(slots)
            )
            for entry in range(layout.n_entries)
        ),
    ).encode()

    parts: dict[Role, list[bytes]] = {
        role: [common, credential(invitation_code, role)] for role in Role
    }
    for entry, (a, b) in enumerate(zip(low_bits(share_m), low_bits(share_r), strict=True)):
        k, k_prime = keys[4 * entry : 4 * entry + 2], keys[4 * entry + 2 : 4 * entry + 4]
        parts[Role.MODELER] += [u64(int(share_m[entry])), k[a], *k_prime]
        parts[Role.REGULATOR] += [u64(int(share_r[entry])), *k, k_prime[b]]
    parts[layout.data_holder] += [blind, data]
    return SubmissionPlaintexts(common, {role: b"".join(parts[role]) for role in Role})


def _checked_data(
    layout: EnvelopeLayout, features: Sequence[int] | None, label: int | None
) -> bytes:
    """Return x and y as sent: no bytes where they come by file."""
    if layout.data_by_file:
        if features is not None or label is not None:
            raise UsageError("In this study the data come by file, not from the person.")
        return b""
    if features is None or len(features) != layout.n_features:
        raise UsageError("The submission needs one value for each of the study's features.")
    for value, (low, high) in zip(features, layout.feature_ranges, strict=True):
        if not low <= value <= high:
            raise UsageError("A value lies outside the study's range.")
    if label not in (None, 0, 1):
        raise UsageError("The outcome is 0, 1 or unknown.")
    return encode_data(features, UNKNOWN_LABEL if label is None else label)
