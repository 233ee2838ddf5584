from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from mpc_engine.control.texts.approvals import (
    Approval,
    approval_message,
    read_approval,
    require_approvals,
    sign_approval,
    verify_approval,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.digests import key_id
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness

MO = P256SigningKey.generate(seeded_randomness(1))
RAE = P256SigningKey.generate(seeded_randomness(2))
TRUSTED = {
    Role.MODELER: {MO.key_id: MO.public_bytes},
    Role.REGULATOR: {RAE.key_id: RAE.public_bytes},
}
CASES = json.loads((Path(__file__).parents[2] / "vectors" / "signatures.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["approvals"])
def test_the_browsers_approvals_verify(case: dict[str, Any]) -> None:
    assert approval_message(case["kind"], case["text"]).hex() == case["message"]
    public_key = bytes.fromhex(case["public_key"])
    encoded = case["signature"]
    signature = bytes.fromhex(encoded) if len(encoded) == 128 else base64.b64decode(encoded)
    approval = Approval(Role.MODELER, key_id(public_key), signature)
    trusted = {Role.MODELER: {key_id(public_key): public_key}}
    verify_approval(case["kind"], case["text"], approval, trusted)


def test_both_roles_must_approve() -> None:
    mo = sign_approval("closing", "text", Role.MODELER, MO)
    rae = sign_approval("closing", "text", Role.REGULATOR, RAE)
    require_approvals("closing", "text", [rae, mo], TRUSTED)
    with pytest.raises(InvalidSignatureError) as caught:
        require_approvals("closing", "text", [mo, mo], TRUSTED)
    assert caught.value.code == "APPROVAL_MISSING"


@pytest.mark.parametrize(("kind", "text"), [("closing", "other"), ("certification", "text")])
def test_an_approval_of_another_text_or_kind_does_not_count(kind: str, text: str) -> None:
    approval = sign_approval("closing", "text", Role.MODELER, MO)
    with pytest.raises(InvalidSignatureError) as caught:
        verify_approval(kind, text, approval, TRUSTED)
    assert caught.value.code == "APPROVAL_SIGNATURE_INVALID"


def test_the_key_of_one_role_cannot_approve_for_the_other() -> None:
    approval = sign_approval("closing", "text", Role.REGULATOR, MO)
    with pytest.raises(InvalidSignatureError) as caught:
        verify_approval("closing", "text", approval, TRUSTED)
    assert caught.value.code == "APPROVER_UNKNOWN"


def test_an_approval_reads_back_from_its_json_form() -> None:
    approval = sign_approval("model", "text", Role.MODELER, MO)
    assert read_approval(Fields(approval.to_json(), "approval", code="X")) == approval


@pytest.mark.parametrize(
    "change",
    [
        {"role": "web"},
        {"key_id": "AB" * 16},
        {"signature": "===="},
        {"signature": base64.b64encode(b"short").decode()},
        {"extra": 1},
    ],
)
def test_a_broken_approval_is_refused(change: dict[str, object]) -> None:
    value = {**sign_approval("model", "text", Role.MODELER, MO).to_json(), **change}
    with pytest.raises(UsageError):
        read_approval(Fields(value, "approval", code="X"))
