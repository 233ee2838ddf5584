"""Every byte of a submission equals the second writing of the format."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.signatures import P256SigningKey, verify_p256
from mpc_engine.roles import Role
from mpc_engine.sharing.common_block import submission_message
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.intake import open_submission
from mpc_engine.sharing.sealed import Purpose, SealContext, open_envelope
from mpc_engine.sharing.submission import compose_plaintexts, prepare_submission
from tests.engine.sharing.listed import ListedRandomness, layout_of, read_vectors

FILE = read_vectors("envelopes")
CASES = pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["name"])
KEYS = {role: FILE["party_keys"][role.value] for role in Role}
PRIVATE_KEYS = {role: HpkePrivateKey(bytes.fromhex(KEYS[role]["private_key"])) for role in Role}


def hexed(case: dict[str, Any], field: str) -> bytes:
    return bytes.fromhex(case[field])


def context_of(case: dict[str, Any], role: Role) -> SealContext:
    layout = layout_of(case["study"])
    return SealContext(
        Purpose.SUBMISSION,
        role,
        layout.study_id,
        layout.config_digest,
        PRIVATE_KEYS[role].key_id,
        hexed(case, "record_id"),
        hexed(case, "submission_id"),
        case["sequence"],
    )


@CASES
def test_both_shares_equal_the_vector(case: dict[str, Any]) -> None:
    rng = ListedRandomness(hexed(case, "randomness"))
    plaintexts = compose_plaintexts(
        layout_of(case["study"]),
        case["answers"],
        features=case["features"],
        label=case["label"],
        record_id=hexed(case, "record_id"),
        submission_id=rng.bytes(16),
        invitation_code=hexed(case, "invitation_code"),
        sequence=case["sequence"],
        owner_public_key=hexed(case, "owner_public_key"),
        rng=rng,
    )
    assert rng.is_used_up
    assert plaintexts.common.hex() == case["common"]
    assert sha256(plaintexts.common).hex() == case["common_digest"]
    for role in Role:
        assert plaintexts.shares[role].hex() == case["shares"][role.value]


@CASES
def test_sizes_follow_from_the_layout(case: dict[str, Any]) -> None:
    layout = layout_of(case["study"])
    assert layout.common_bytes == len(hexed(case, "common"))
    for role in Role:
        assert layout.plaintext_bytes(role) == len(bytes.fromhex(case["shares"][role.value]))
        assert layout.envelope_bytes(role) == len(bytes.fromhex(case["envelopes"][role.value]))


@CASES
@pytest.mark.parametrize("role", Role)
def test_a_party_opens_and_keeps_what_the_vector_says(case: dict[str, Any], role: Role) -> None:
    layout = layout_of(case["study"])
    share = open_submission(
        layout,
        role,
        bytes.fromhex(case["envelopes"][role.value]),
        sha256(bytes.fromhex(case["envelopes"][role.peer.value])),
        hexed(case, "owner_public_key"),
        hexed(case, "signature"),
        hexed(case, "record_id"),
        hexed(case, "submission_id"),
        case["sequence"],
        PRIVATE_KEYS[role],
        PRIVATE_KEYS[role].key_id,
        bytes.fromhex(case["credentials"][role.value]),
    )
    held = case["held"][role.value]
    assert share.common_digest == hexed(case, "common_digest")
    assert share.low_bits.tolist() == held["low_bits"]
    assert share.sender_keys.shape == (layout.n_entries, 2, 2)
    assert share.sender_keys.dtype == share.chosen_keys.dtype == np.uint64
    sent = b"".join(bytes.fromhex(key) for pair in held["sender_keys"] for key in pair)
    assert share.sender_keys.astype("<u8").tobytes() == sent
    chosen = b"".join(bytes.fromhex(key) for key in held["chosen_keys"])
    assert share.chosen_keys.astype("<u8").tobytes() == chosen
    assert (None if share.features is None else share.features.tolist()) == held["features"]
    assert share.label == held["label"]


@CASES
def test_low_bits_of_both_parties_make_the_answers(case: dict[str, Any]) -> None:
    bits = [np.array(case["held"][role.value]["low_bits"]) for role in Role]
    assert (bits[0] ^ bits[1]).tolist() == list(layout_of(case["study"]).one_hot(case["answers"]))


@CASES
@pytest.mark.parametrize("role", Role)
def test_context_and_credential_equal_the_vector(case: dict[str, Any], role: Role) -> None:
    context = context_of(case, role)
    assert context.info().hex() == case["infos"][role.value]
    opened = open_envelope(
        context, PRIVATE_KEYS[role], bytes.fromhex(case["envelopes"][role.value])
    )
    assert opened.hex() == case["shares"][role.value]
    made = credential(hexed(case, "invitation_code"), role)
    assert made.hex() == case["credentials"][role.value]


@CASES
def test_owner_signs_the_pair(case: dict[str, Any]) -> None:
    digests = [sha256(bytes.fromhex(case["envelopes"][role.value])) for role in Role]
    message = submission_message(hexed(case, "common_digest"), *digests)
    assert message.hex() == case["signed_message"]
    owner = P256SigningKey(int(case["owner_secret"], 16))
    assert owner.sign(message).hex() == case["signature"]
    verify_p256(hexed(case, "owner_public_key"), message, hexed(case, "signature"))


@CASES
def test_a_prepared_submission_seals_the_same_shares(case: dict[str, Any]) -> None:
    prepared = prepare_submission(
        layout_of(case["study"]),
        case["answers"],
        features=case["features"],
        label=case["label"],
        record_id=hexed(case, "record_id"),
        invitation_code=hexed(case, "invitation_code"),
        sequence=case["sequence"],
        owner_key=P256SigningKey(int(case["owner_secret"], 16)),
        party_keys={role: (key.key_id, key.public_bytes) for role, key in PRIVATE_KEYS.items()},
        rng=ListedRandomness(hexed(case, "randomness")),
    )
    assert prepared.submission_id == hexed(case, "submission_id")
    assert prepared.common_digest == hexed(case, "common_digest")
    for role in Role:
        opened = open_envelope(context_of(case, role), PRIVATE_KEYS[role], prepared.envelopes[role])
        assert opened.hex() == case["shares"][role.value]
    assert prepared.envelopes[Role.MODELER] != bytes.fromhex(case["envelopes"]["modeler"])
