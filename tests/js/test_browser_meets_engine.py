"""What the browser makes, the engine accepts: submissions, seals, approvals, numbers."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from playwright.sync_api import Page

from mpc_engine.control.studies.configuration import parse_configuration
from mpc_engine.control.texts.approvals import Approval, verify_approval
from mpc_engine.control.texts.canonical import parse_canonical
from mpc_engine.crypto.digests import key_id, sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.encoding import encode_value
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.intake import open_submission
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.sealed import open_sealed, unpad_message
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.sharing.listed import read_vectors

KEYS = {role: HpkePrivateKey.generate(seeded_randomness(index)) for index, role in enumerate(Role)}
CODE = bytes(range(16))
RECORD_ID = bytes(range(16, 32))

SUBMIT = """
async ({text, answers, values, label, fragment, sequence}) => {
  const { toHex } = await import("/static/js/lib/bytes.js");
  const { readStudy } = await import("/static/js/lib/configuration.js");
  const { encodeFeature } = await import("/static/js/lib/encoding.js");
  const { parseInvitation } = await import("/static/js/lib/invitation.js");
  const { ownerKeyFor } = await import("/static/js/lib/owner.js");
  const { prepareSubmission, submissionBody } = await import("/static/js/lib/sharing.js");
  const { configuration, layout, partyKeys } = await readStudy(text);
  const { recordId, code: invitationCode } = parseInvitation(fragment);
  const ownerKey = await ownerKeyFor(configuration.study_id, toHex(recordId));
  const features = values && configuration.features.map(
    (feature) => encodeFeature(values[feature.name], feature, configuration.x_frac_bits));
  const prepared = await prepareSubmission(
    layout,
    { answers, features, label, recordId, invitationCode, sequence, ownerKey, partyKeys });
  return { ...submissionBody(prepared), common_digest: toHex(prepared.commonDigest) };
}
"""


def study_text(data_source: str) -> str:
    """Return a study whose keys are ours."""
    text = read_vectors("study")["cases"][0]["text"]
    study = json.loads(text)
    study["data_source"] = data_source
    for role, key in KEYS.items():
        study[role.value] |= {"key_id": key.key_id.hex(), "hpke_key": key.public_bytes.hex()}
    return json.dumps(study, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def layout_of(text: str) -> EnvelopeLayout:
    """Return the layout as a party makes it."""
    study = parse_configuration(text)
    return EnvelopeLayout(
        study_id=study.study_id,
        config_digest=study.digest,
        category_counts=study.category_counts,
        data_holder=study.data_holder,
        data_by_file=study.data_source == "file",
        feature_ranges=study.feature_ranges,
    )


def submit(page: Page, text: str, **other: Any) -> dict[str, Any]:
    """Return the body a page would post."""
    code = base64.urlsafe_b64encode(CODE).decode().rstrip("=")
    honest = {
        "text": text,
        "answers": [1, 3],
        "values": {"duration": "18.5", "change": "-1.5"},
        "label": 1,
        "fragment": f"#{RECORD_ID.hex()}.{code}",
        "sequence": 0,
    }
    return page.evaluate(SUBMIT, {**honest, **other})


def take_in(text: str, role: Role, body: dict[str, Any]) -> HeldShare:
    """Open a posted share as its party would."""
    envelopes = {each: base64.b64decode(body[f"envelope_{each.value}"]) for each in Role}
    return open_submission(
        layout=layout_of(text),
        role=role,
        envelope=envelopes[role],
        other_envelope_digest=sha256(envelopes[role.peer]),
        owner_public_key=bytes.fromhex(body["owner_key"]),
        signature=base64.b64decode(body["signature"]),
        record_id=bytes.fromhex(body["record_id"]),
        submission_id=bytes.fromhex(body["submission_id"]),
        sequence=body["sequence"],
        hpke_private_key=KEYS[role],
        key_id=KEYS[role].key_id,
        credential=credential(CODE, role),
    )


@pytest.mark.slow
def test_both_parties_accept_a_submission_of_the_browser(page: Page) -> None:
    text = study_text("person")
    body = submit(page, text)
    shares = {role: take_in(text, role, body) for role in Role}
    bits = shares[Role.MODELER].low_bits ^ shares[Role.REGULATOR].low_bits
    assert bits.tolist() == [0, 1, 0, 0, 0, 0, 1]
    for role in Role:
        assert shares[role].record_id == RECORD_ID
        assert shares[role].common_digest.hex() == body["common_digest"]
    assert shares[Role.MODELER].features is None
    features = shares[Role.REGULATOR].features
    assert features is not None
    assert features.tolist() == [encode_value("18.5", "12", 8), encode_value("-1.5", "0.01", 8)]
    assert shares[Role.REGULATOR].label == 1
    for sender, chooser in ((Role.REGULATOR, Role.MODELER), (Role.MODELER, Role.REGULATOR)):
        pairs, chosen = shares[sender].sender_keys, shares[chooser].chosen_keys
        for entry, bit in enumerate(shares[chooser].low_bits):
            assert pairs[entry, bit].tolist() == chosen[entry].tolist()
            assert pairs[entry, 1 - bit].tolist() != chosen[entry].tolist()


def test_both_parties_accept_a_submission_whose_data_come_by_file(page: Page) -> None:
    text = study_text("file")
    body = submit(page, text, values=None, label=None, answers=[2, 0])
    shares = {role: take_in(text, role, body) for role in Role}
    bits = shares[Role.MODELER].low_bits ^ shares[Role.REGULATOR].low_bits
    assert bits.tolist() == [0, 0, 1, 1, 0, 0, 0]
    assert shares[Role.REGULATOR].features is None


@pytest.mark.slow
def test_a_replacement_after_reloading_the_page_has_the_same_owner(page: Page) -> None:
    text = study_text("person")
    first = submit(page, text)
    page.reload()
    second = submit(page, text, sequence=1, answers=[2, 3], label=None)
    assert second["owner_key"] == first["owner_key"]
    assert second["submission_id"] != first["submission_id"]
    assert take_in(text, Role.REGULATOR, second).label == 2


def test_a_sealed_message_of_the_browser_opens_at_its_party(page: Page) -> None:
    value = {"format": "bj1 challenge", "x": [1, -2], "note": "\u00e9"}
    study_id, config_digest, object_id = bytes(16), bytes(32), bytes([7]) * 16
    for purpose, role in (("challenge", Role.REGULATOR), ("model", Role.MODELER)):
        sealed = page.evaluate(
            """async ({publicKey, value, purpose, role, ...ids}) => {
              const { fromHex, toHex } = await import("/static/js/lib/bytes.js");
              const { sealMessage } = await import("/static/js/lib/sealed.js");
              return toHex(await sealMessage({
                purpose, role, keyId: fromHex(ids.keyId), studyId: fromHex(ids.studyId),
                configDigest: fromHex(ids.configDigest), recordId: fromHex(ids.objectId),
              }, fromHex(publicKey), value));
            }""",
            {
                "purpose": purpose,
                "role": role.value,
                "keyId": KEYS[role].key_id.hex(),
                "publicKey": KEYS[role].public_bytes.hex(),
                "studyId": study_id.hex(),
                "configDigest": config_digest.hex(),
                "objectId": object_id.hex(),
                "value": value,
            },
        )
        plaintext = open_sealed(
            purpose,
            role,
            study_id,
            config_digest,
            KEYS[role].key_id,
            KEYS[role],
            object_id,
            bytes.fromhex(sealed),
        )
        assert len(plaintext) == 2048
        assert parse_canonical(unpad_message(plaintext)) == value


def test_an_approval_of_the_browser_verifies_after_reloading_the_page(page: Page) -> None:
    key = P256SigningKey.generate(seeded_randomness(9))
    approver = {
        "format": "bj1 approver",
        "role": "regulator",
        "key_id": key.key_id.hex(),
        "private_key": key.to_jwk(),
    }
    text = study_text("person")
    page.evaluate(
        """async (file) => {
          const { importApprover } = await import("/static/js/lib/approval.js");
          await importApprover(file, "regulator");
        }""",
        json.dumps(approver),
    )
    page.reload()
    signed = page.evaluate(
        """async (text) => {
          const { keptApprover, signApproval } = await import("/static/js/lib/approval.js");
          return signApproval(await keptApprover("regulator"), "configuration", text);
        }""",
        text,
    )
    approval = Approval(
        Role(signed["role"]), bytes.fromhex(signed["key_id"]), base64.b64decode(signed["signature"])
    )
    trusted = {Role.REGULATOR: {key_id(key.public_bytes): key.public_bytes}}
    verify_approval("configuration", text, approval, trusted)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_both_encode_the_same_numbers(page: Page, seed: int) -> None:
    rng = seeded_randomness(seed)
    words = rng.words(1000, 4).tolist()
    rows = [
        [
            f"{'-' if a & 1 else ''}{a % 10 ** (b % 12 + 1)}.{c % 10 ** (d % 9)}e{b % 13 - 6}",
            f"{1 + d % 999}e{c % 7 - 3}",
            a % 17,
        ]
        for a, b, c, d in words
    ]
    rows += [[a / (1 + b % 100_000), "0.01", 16] for a, b, _, _ in words]
    encoded = page.evaluate(
        """async (rows) => {
          const { encodeValue } = await import("/static/js/lib/encoding.js");
          return rows.map((row) => String(encodeValue(...row)));
        }""",
        rows,
    )
    assert encoded == [str(encode_value(*row)) for row in rows]
