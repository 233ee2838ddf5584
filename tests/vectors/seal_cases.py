"""Seals: hpke.json and sealed.json."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from tests.vectors.envelope_cases import PARTY_KEYS, make_study
from tests.vectors.reference_envelope import PartyKey, digest, seal_info
from tests.vectors.reference_hpke import (
    HPKE_SUITE,
    expanded_key,
    hpke_suite,
    key_schedule,
    public_key_of,
    reference_seal,
    x_wing,
)
from tests.vectors.stream import Stream
from tests.vectors.value_cases import canonical_text

RFC_9180_A_1_1_KEM_ID = 0x0020
RFC_9180_A_1_1 = {
    "info": "4f6465206f6e2061204772656369616e2055726e",
    "shared_secret": "fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc",
    "key": "4531685d41d65f03dc48f6b8302c05b0",
    "base_nonce": "56d890e5accaaf011cff4b7d",
}
"""The key schedule of another KEM; the steps after it are the same."""

X_WING_DRAFT = [
    {
        "seed": "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26",
        "drawn": "3cb1eea988004b93103cfb0aeefd2a686e01fa4a58e8a3639ca8a1e3f9ae57e2"
        "35b8cc873c23dc62b8d260169afa2f75ab916a58d974918835d25e6a435085b2",
        "shared_secret": "d2df0522128f09dd8e2c92b1e905c793d8f57a54c3da25861f10bf4ca613e384",
        "public_key_sha256": "2e816deebcd76c5c80d0cd2d174478871658e8e2ff42bc9d4a6e486372e856bb",
        "enc_sha256": "17cd532d657e44c897ca6583e548a5424fc70bf54f99515a4d2bcf99e3469f33",
    },
    {
        "seed": "badfd6dfaac359a5efbb7bcc4b59d538df9a04302e10c8bc1cbf1a0b3a5120ea",
        "drawn": "17cda7cfad765f5623474d368ccca8af0007cd9f5e4c849f167a580b14aabdef"
        "aee7eef47cb0fca9767be1fda69419dfb927e9df07348b196691abaeb580b32d",
        "shared_secret": "f2e86241c64d60f6649fbc6c5b7d17180b780a3f34355e64a85749949c45f150",
    },
    {
        "seed": "ef58538b8d23f87732ea63b02b4fa0f4873360e2841928cd60dd4cee8cc0d4c9",
        "drawn": "22a96188d032675c8ac850933c7aff1533b94c834adbb69c6115bad4692d8619"
        "f90b0cdf8a7b9c264029ac185b70b83f2801f2f4b3f70c593ea3aeeb613a7f1b",
        "shared_secret": "953f7f4e8c5b5049bdc771d1dffada0dd961477d1a2ae0988baa7ea6898d893f",
    },
]
"""draft-connolly-cfrg-xwing-kem, appendix C; of the long values the digests."""


def hpke_cases() -> dict[str, Any]:
    """Return the whole file; the reference first reproduces the RFC's and the draft's vectors."""
    _check_key_schedule()
    stream = Stream("hpke")
    cases = []
    for size in (0, 1, 15, 16, 17, 1000):
        key = PartyKey(f"hpke {size}")
        info, plaintext = stream.bytes(size // 2), stream.bytes(size)
        sealed = reference_seal(stream.bytes(64), key.public, info, plaintext)
        cases.append(
            {
                **key.to_json(),
                "info": info.hex(),
                "plaintext": plaintext.hex(),
                "sealed": sealed.hex(),
            }
        )
    return {
        "x_wing": [_x_wing_case(case) for case in X_WING_DRAFT],
        "cases": cases,
        "refused_seals": _refused_seals(),
        "refused_public_keys": _refused_public_keys(),
    }


def _check_key_schedule() -> None:
    rfc = RFC_9180_A_1_1
    secret, info = bytes.fromhex(rfc["shared_secret"]), bytes.fromhex(rfc["info"])
    key, nonce = key_schedule(secret, info, hpke_suite(RFC_9180_A_1_1_KEM_ID))
    if (key.hex(), nonce.hex()) != (rfc["key"], rfc["base_nonce"]):
        raise ValueError("the reference does not reproduce RFC 9180, appendix A.1.1")


def _x_wing_case(case: dict[str, str]) -> dict[str, str]:
    private = expanded_key(bytes.fromhex(case["seed"]))
    public = public_key_of(private)
    secret, enc = x_wing(public, bytes.fromhex(case["drawn"]))
    made = {
        "shared_secret": secret.hex(),
        "public_key_sha256": hashlib.sha256(public).hexdigest(),
        "enc_sha256": hashlib.sha256(enc).hexdigest(),
    }
    if any(case[name] != value for name, value in made.items() if name in case):
        raise ValueError("the reference does not reproduce the draft's vector")
    return {
        "private_key": private.hex(),
        "public_key": public.hex(),
        "enc": enc.hex(),
        "shared_secret": secret.hex(),
    }


def _refused_seals() -> list[dict[str, str]]:
    key, stranger = PartyKey("hpke refused"), PartyKey("hpke stranger")
    info, drawn = b"info", Stream("hpke refused drawn").bytes(64)

    def made(public: bytes = key.public, info: bytes = info, suite: bytes = HPKE_SUITE) -> bytes:
        return reference_seal(drawn, public, info, b"message", suite)

    def flipped(at: int, bits: int = 1) -> bytes:
        sealed = bytearray(made())
        sealed[at] ^= bits
        return bytes(sealed)

    seals = {
        "sealed to another key": made(public=stranger.public),
        "lattice half of another key": made(public=stranger.public[:1184] + key.public[1184:]),
        "curve half of another key": made(public=key.public[:1184] + stranger.public[1184:]),
        "other info": made(info=b"other info"),
        "empty info": made(info=b""),
        "id of X25519 alone": made(suite=hpke_suite(0x0020)),
        "id of ML-KEM-768 alone": made(suite=hpke_suite(0x0041)),
        "lattice ciphertext altered": flipped(0),
        "lattice ciphertext altered at its end": flipped(1087),
        "point altered": flipped(1088),
        "top bit of the point set": flipped(1119, 0x80),
        "point of low order": made()[:1088] + bytes(32) + made()[1120:],
        "ciphertext altered": flipped(1120),
        "tag altered": flipped(-1),
        "tag cut off": made()[:-1],
        "encapsulation lacks a byte": made()[1:],
        "encapsulation alone": made()[:1120],
        "encapsulation cut off": made()[:1119],
        "lattice ciphertext alone": made()[:1088],
        "empty": b"",
        "a byte too many": made() + b"\0",
    }
    return [
        {"name": name, **key.to_json(), "info": info.hex(), "sealed": sealed.hex()}
        for name, sealed in seals.items()
    ]


def _refused_public_keys() -> list[dict[str, str]]:
    public = PartyKey("hpke refused").public
    one = (1).to_bytes(32, "little")
    keys = {
        "empty": b"",
        "X25519 alone": public[1184:],
        "ML-KEM-768 alone": public[:1184],
        "a byte too few": public[:-1],
        "a byte too many": public + b"\0",
        "a coefficient of q": (3329).to_bytes(2, "little") + b"\0" + public[3:],
        "coefficients of 4095": b"\xff" * 1152 + public[1152:],
        "the point zero": public[:1184] + bytes(32),
        "the point one": public[:1184] + one,
    }
    return [{"name": name, "public_key": key.hex()} for name, key in keys.items()]


def sealed_cases() -> dict[str, Any]:
    """Return the whole file."""
    study = make_study("sealed", [2], "regulator", [])
    cases = []
    for purpose, role in (("model", "modeler"), ("data", "regulator"), ("challenge", "regulator")):
        stream = Stream(f"sealed {purpose}")
        key, object_id = PARTY_KEYS[role], stream.bytes(16)
        value = {"format": f"bj1 {purpose}", "purpose": purpose, "x": [1, -2, 3]}

        bound = (study, purpose, role, key.key_id, object_id, bytes(16))
        drawn, plaintext = stream.bytes(64), padded(canonical_text(value).encode())
        info = seal_info(*bound, sequence=0)
        old_info = seal_info(*bound, sequence=0, sealed_as=b"bj1")
        sealed = reference_seal(drawn, key.public, info, plaintext)
        sealed_as_1 = reference_seal(drawn, key.public, old_info, plaintext)
        cover, old_cover = (struct.pack("<H", number) + key.key_id for number in (2, 1))
        cases.append(
            {
                "purpose": purpose,
                "role": role,
                "object_id": object_id.hex(),
                "value": value,
                "info": info.hex(),
                "plaintext": plaintext.hex(),
                "envelope": (cover + sealed).hex(),
                "refused_envelopes": [
                    {"name": name, "envelope": made.hex(), "refusal": f"ENVELOPE_{code}"}
                    for name, made, code in (
                        ("version 1", old_cover + sealed_as_1, "VERSION_UNKNOWN"),
                        ("version 2 named version 1", old_cover + sealed, "VERSION_UNKNOWN"),
                        ("version 1 named version 2", cover + sealed_as_1, "NOT_OPENED"),
                        ("cut off", (cover + sealed)[:1153], "TOO_SHORT"),
                        ("empty", b"", "TOO_SHORT"),
                    )
                ],
            }
        )
    return {
        "study": study.to_json(),
        "party_keys": {role: key.to_json() for role, key in PARTY_KEYS.items()},
        "cases": cases,
        "padding": [
            {
                "data": data.hex(),
                "padded_bytes": len(padded(data)),
                "digest": digest(padded(data)).hex(),
            }
            for data in (Stream(f"padding {n}").bytes(n) for n in (0, 1, 2043, 2044, 2045, 5000))
        ],
        "refused_paddings": [
            {"name": name, "padded": value.hex()}
            for name, value in {
                "empty": b"",
                "length cut off": b"\0\0\0",
                "no zeros": struct.pack("<I", 3) + b"abc",
                "a byte too few": padded(b"abc")[:-1],
                "a block too many": padded(b"abc") + bytes(2048),
                "something behind the data": padded(b"abc")[:-1] + b"\1",
                "length beyond the end": struct.pack("<I", 2045) + bytes(2044),
                "largest length": b"\xff\xff\xff\xff" + bytes(2044),
            }.items()
        ],
    }


def padded(data: bytes) -> bytes:
    """Return length, data and zeros up to a multiple of 2048."""
    message = struct.pack("<I", len(data)) + data
    return message + bytes((2048 - len(message) % 2048) % 2048)
