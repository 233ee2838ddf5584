"""Honest submissions, byte by byte: envelopes.json."""

from __future__ import annotations

import struct
from typing import Any

from tests.vectors.reference_envelope import (
    ROLES,
    Draft,
    Owner,
    PartyKey,
    Study,
    digest,
    draft,
    seal_share,
    signed_message,
)
from tests.vectors.stream import Stream

PARTY_KEYS = {role: PartyKey(f"party {role}") for role in ROLES}


def make_study(
    label: str,
    counts: list[int],
    holder: str,
    ranges: list[list[int]],
    *,
    by_file: bool = False,
) -> Study:
    """Return a study with ids of its label."""
    stream = Stream(f"study {label}")
    return Study(stream.bytes(16), stream.bytes(32), counts, holder, by_file, ranges)


def envelope_cases() -> dict[str, Any]:
    """Return the whole file."""
    two = [[0, 30720], [-512, 512]]
    edges = [[-(2**31), 2**31 - 1], [7, 7], [0, 1]]
    wrap = Stream("wrap").bytes(16) + struct.pack("<3Q", 0, 2**64 - 1, 1) + Stream("w").bytes(224)
    cases = [
        _case("regulator holds the data", make_study("r", [3, 3], "regulator", two),
              [0, 1], [1536, -512], 1, 0),
        _case("modeler holds the data, outcome unknown", make_study("m", [4], "modeler", two),
              [2], [30720, 0], None, 1),
        _case("data come by file to the regulator",
              make_study("f", [3, 2], "regulator", two, by_file=True), [1, 0], None, None, 3),
        _case("data come by file to the modeler",
              make_study("g", [2, 3], "modeler", two, by_file=True), [0, 2], None, None, 0),
        _case("prefers not to say anything", make_study("p", [3, 17, 2], "regulator", []),
              [2, 16, 1], [], 0, 0),
        _case("largest values and sequence", make_study("e", [2], "regulator", edges),
              [0], [-(2**31), 7, 1], 1, 2**32 - 1),
        _case("shares at the edges of the ring", make_study("w", [3], "regulator", [[0, 1]]),
              [1], [1], 0, 0, randomness=wrap),
    ]  # fmt: skip
    return {
        "party_keys": {role: key.to_json() for role, key in PARTY_KEYS.items()},
        "cases": cases,
    }


def _case(
    name: str,
    study: Study,
    answers: list[int],
    features: list[int] | None,
    label: int | None,
    sequence: int,
    randomness: bytes | None = None,
) -> dict[str, Any]:
    stream = Stream(f"envelope {name}")
    record_id, code, owner = stream.bytes(16), stream.bytes(16), Owner(f"owner {name}")
    if randomness is None:
        randomness = stream.bytes(16 + 72 * sum(study.category_counts) + 32)
    made = draft(
        study,
        answers=answers,
        features=features,
        label=2 if label is None else label,
        record_id=record_id,
        code=code,
        sequence=sequence,
        owner=owner,
        randomness=randomness,
    )
    sealed = {role: seal_share(made, role, PARTY_KEYS[role], stream.bytes(64)) for role in ROLES}
    envelopes = {role: envelope for role, (_, envelope) in sealed.items()}
    message = signed_message(made.common_bytes(), envelopes)
    return {
        "name": name,
        "study": study.to_json(),
        "answers": answers,
        "features": features,
        "label": label,
        "record_id": record_id.hex(),
        "invitation_code": code.hex(),
        "sequence": sequence,
        "owner_secret": f"{owner.secret:064x}",
        "randomness": randomness.hex(),
        "submission_id": made.submission_id.hex(),
        "owner_public_key": owner.public.hex(),
        "common": made.common_bytes().hex(),
        "common_digest": digest(made.common_bytes()).hex(),
        "commitment": made.common["commitment"].hex(),
        "credentials": {role: made.credentials[role].hex() for role in ROLES},
        "shares": {role: made.share_bytes(role).hex() for role in ROLES},
        "infos": {role: info.hex() for role, (info, _) in sealed.items()},
        "envelopes": {role: envelope.hex() for role, envelope in envelopes.items()},
        "signed_message": message.hex(),
        "signature": owner.sign(message).hex(),
        "held": {role: _held(made, role) for role in ROLES},
    }


def _held(made: Draft, role: str) -> dict[str, Any]:
    """Return what a party keeps: keys as the bytes that its words stand for."""
    pairs = [keys[:2] if role == "regulator" else keys[2:] for keys in made.keys]
    holds = role == made.study.data_holder and not made.study.data_by_file
    return {
        "low_bits": [share % 2 for share in made.shares[role]],
        "sender_keys": [[key.hex() for key in pair] for pair in pairs],
        "chosen_keys": [key.hex() for key in made.chosen[role]],
        "features": made.features if holds else None,
        "label": made.label if holds else None,
    }
