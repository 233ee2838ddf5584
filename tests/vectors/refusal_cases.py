"""One submission per check of intake that must fail, with the reason it must give: intake.json.

Each case changes an honest submission in one way. "delivery" is all that a party is handed;
"refusal" is the expected code, null where it must be accepted.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.vectors.envelope_cases import PARTY_KEYS
from tests.vectors.reference_envelope import (
    ROLES,
    Draft,
    Owner,
    PartyKey,
    credential,
    digest,
    seal_share,
)
from tests.vectors.reference_hpke import hpke_suite
from tests.vectors.refusal_case import (
    OTHER_ROLE,
    STUDIES,
    Change,
    Delivery,
    honest_draft,
    refusal_case,
)
from tests.vectors.refusal_key_cases import data_cases, key_cases
from tests.vectors.stream import Stream

ENC_BYTES = 1120
POINT = 18 + 1088
"""Where the X25519 half of an encapsulation begins."""


def intake_cases() -> dict[str, Any]:
    """Return the whole file."""
    cases = [*_accepted(), *_cover(), *_common(), *_owner(), *key_cases(), *data_cases()]
    names = [(case["name"], case["role"]) for case in cases]
    if len(set(names)) != len(names):
        raise ValueError("two cases have one name")
    return {
        "studies": {name: study.to_json() for name, study in STUDIES.items()},
        "party_keys": {role: key.to_json() for role, key in PARTY_KEYS.items()},
        "cases": cases,
    }


def _accepted() -> list[dict[str, Any]]:
    return [
        refusal_case(f"honest submission, study {study}", role, None, study=study)
        for study in STUDIES
        for role in ROLES
    ]


def _cover() -> list[dict[str, Any]]:
    """The envelope itself: its size, header and what it is bound to."""

    def cut(role: str, make: Callable[[bytes], bytes]) -> Callable[[dict[str, bytes]], None]:
        def tamper(envelopes: dict[str, bytes]) -> None:
            envelopes[role] = make(envelopes[role])

        return tamper

    def flip(at: int) -> Callable[[bytes], bytes]:
        return lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 or len(data) :]

    cases = []
    for role in ROLES:
        size, opened = "ENVELOPE_WRONG_SIZE", "ENVELOPE_NOT_OPENED"
        version = "ENVELOPE_VERSION_UNKNOWN"
        other_study = replace(STUDIES["person"], study_id=Stream("other study").bytes(16))
        other_rules = replace(STUDIES["person"], config_digest=Stream("other rules").bytes(32))
        changes: list[tuple[str, str, Callable[[bytes], bytes]]] = [
            ("envelope is empty", "ENVELOPE_TOO_SHORT", lambda data: b""),
            ("envelope lacks its last byte", size, lambda data: data[:-1]),
            ("envelope has a byte too many", size, lambda data: data + b"\0"),
            (
                "envelope of version 1",
                version,
                lambda data: struct.pack("<H", 1) + data[2:],
            ),
            (
                "envelope of version 1 in its size",
                version,
                lambda data: struct.pack("<H", 1) + data[2:50] + data[18 + ENC_BYTES :],
            ),
            (
                "envelope of a version to come",
                version,
                lambda data: struct.pack("<H", 3) + data[2:],
            ),
            ("envelope names another key", "ENVELOPE_FOR_OTHER_KEY", flip(2)),
            ("lattice ciphertext is altered", opened, flip(18)),
            ("lattice ciphertext is altered at its end", opened, flip(POINT - 1)),
            ("ephemeral point is altered", opened, flip(POINT)),
            (
                "ephemeral point is the zero point",
                opened,
                lambda data: data[:POINT] + bytes(32) + data[POINT + 32 :],
            ),
            (
                "encapsulation is zero",
                opened,
                lambda data: data[:18] + bytes(ENC_BYTES) + data[18 + ENC_BYTES :],
            ),
            ("ciphertext is altered", opened, flip(18 + ENC_BYTES)),
            ("tag is altered", opened, flip(-1)),
        ]
        for name, code, make in changes:
            cases.append(refusal_case(name, role, code, tamper=cut(role, make)))
        bindings: list[tuple[str, dict[str, Any]]] = [
            ("sealed to a stranger's key", {"public_key": PartyKey("stranger").public}),
            ("sealed for another study", {"study": other_study}),
            ("sealed under other rules", {"study": other_rules}),
            ("sealed for the other party", {"role": OTHER_ROLE[role]}),
            ("sealed for another purpose", {"purpose": "data"}),
            ("sealed under another key id", {"key_id": bytes(16)}),
            ("sealed for another record", {"record_id": bytes(16)}),
            ("sealed as another submission", {"submission_id": bytes(16)}),
            ("sealed with another sequence", {"sequence": 1}),
            ("sealed as version 1", {"sealed_as": b"bj1"}),
            ("sealed under the KEM of version 1's id", {"suite": hpke_suite(0x0020)}),
        ]
        cases += [refusal_case(name, role, opened, bound=bound) for name, bound in bindings]
    return cases


def _common() -> list[dict[str, Any]]:
    """Fields of the common block that differ from the cover they arrive under."""
    fields = {
        "version": ("COMMON_VERSION_UNKNOWN", struct.pack("<H", 1)),
        "config_digest": ("OTHER_CONFIGURATION", bytes(32)),
        "record_id": ("OTHER_RECORD", bytes(16)),
        "submission_id": ("OTHER_SUBMISSION", bytes(16)),
        "sequence": ("OTHER_SEQUENCE", struct.pack("<I", 7)),
        "n_entries": ("OTHER_ENTRY_COUNT", struct.pack("<H", 4)),
    }

    def setting(field: str, value: bytes) -> Change:
        def change(made: Draft) -> None:
            made.common[field] = value

        return change

    return [
        refusal_case(f"common block has another {field}", role, code, change=setting(field, value))
        for field, (code, value) in fields.items()
        for role in ROLES
    ]


def _owner() -> list[dict[str, Any]]:
    """Owner key, signature over the pair, credential."""
    thief = Owner("thief")
    off_curve = b"\x04" + bytes(63) + b"\x01"
    compressed = b"\x02" + Owner("intake owner").public[1:33]

    def setting(field: str, make: Callable[[Delivery], Any]) -> Callable[[Delivery], None]:
        def deliver(delivery: Delivery) -> None:
            delivery[field] = make(delivery)

        return deliver

    def to_earlier_share(role: str) -> Callable[[Delivery], Any]:
        old = honest_draft(STUDIES["person"], "earlier")
        envelope = seal_share(old, role, PARTY_KEYS[role], Stream("earlier").bytes(64))[1]
        return lambda d: digest(envelope)

    def to_constant(value: bytes) -> Callable[[Delivery], Any]:
        return lambda d: value

    def claim_thief(made: Draft) -> None:
        made.common["owner_key_hash"] = digest(thief.public)

    def swap_credentials(made: Draft) -> None:
        made.credentials = {role: made.credentials[OTHER_ROLE[role]] for role in ROLES}

    unusable, wrong = "OWNER_KEY_UNUSABLE", "SUBMISSION_SIGNATURE_WRONG"
    cases = []
    for role in ROLES:
        other = OTHER_ROLE[role]
        cases += [
            refusal_case(
                "owner key is not on the curve",
                role,
                unusable,
                deliver=setting("owner_public_key", lambda d: off_curve),
            ),
            refusal_case(
                "owner key is compressed",
                role,
                unusable,
                deliver=setting("owner_public_key", lambda d: compressed),
            ),
            refusal_case(
                "owner key is empty",
                role,
                unusable,
                deliver=setting("owner_public_key", lambda d: b""),
            ),
            refusal_case(
                "relay swaps the owner key and signs anew",
                role,
                "OTHER_OWNER_KEY",
                signer=thief,
                deliver=setting("owner_public_key", lambda d: thief.public),
            ),
            refusal_case(
                "common block names a thief's key", role, "OTHER_OWNER_KEY", change=claim_thief
            ),
            refusal_case("another key signed", role, wrong, signer=thief),
            refusal_case(
                "signature is altered",
                role,
                wrong,
                deliver=setting(
                    "signature", lambda d: d["signature"][:-1] + bytes([d["signature"][-1] ^ 1])
                ),
            ),
            refusal_case(
                "signature is zero", role, wrong, deliver=setting("signature", lambda d: bytes(64))
            ),
            refusal_case(
                "signature is cut off",
                role,
                wrong,
                deliver=setting("signature", lambda d: d["signature"][:-1]),
            ),
            refusal_case(
                "half a replacement: the other share is an earlier one",
                role,
                wrong,
                deliver=setting("other_envelope_digest", to_earlier_share(other)),
            ),
            refusal_case(
                "other share is altered on the way",
                role,
                wrong,
                deliver=setting("other_envelope_digest", lambda d: bytes(32)),
            ),
            refusal_case(
                "credential of another invitation",
                role,
                "CREDENTIAL_WRONG",
                deliver=setting("credential", to_constant(credential(bytes(16), role))),
            ),
            refusal_case(
                "credential of the other party", role, "CREDENTIAL_WRONG", change=swap_credentials
            ),
        ]
    return cases


def succession_cases() -> list[dict[str, Any]]:
    """Return cases of a record's second submission: what may stand beside what."""
    uma, umar = Owner("Uma").public.hex(), Owner("Umar").public.hex()

    def submission(number: int, sequence: int, owner: str) -> dict[str, Any]:
        return {"submission_id": f"{number:032x}", "sequence": sequence, "owner_public_key": owner}

    first, second = submission(1, 0, uma), submission(2, 1, uma)
    rows: list[tuple[str, list[dict[str, Any]], dict[str, Any], str | None]] = [
        ("first of a record", [], first, None),
        ("replacement by its owner", [first], second, None),
        ("replacement that arrives before the one it follows", [second], first, None),
        ("the same submission again", [first, second], second, None),
        (
            "replacement forged with another key",
            [first],
            submission(2, 1, umar),
            "OWNER_KEY_CHANGED",
        ),
        (
            "another submission with the same sequence",
            [first, second],
            submission(3, 1, uma),
            "SEQUENCE_TAKEN",
        ),
        (
            "the same submission with another sequence",
            [first],
            submission(1, 1, uma),
            "SEQUENCE_TAKEN",
        ),
    ]
    return [
        {"name": name, "earlier": earlier, "submission": new, "refusal": refusal}
        for name, earlier, new, refusal in rows
    ]
