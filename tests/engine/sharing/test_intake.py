"""Intake refuses each dishonest submission, with the reason the vector states."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import IntakeError
from mpc_engine.roles import Role
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.intake import EarlierSubmission, check_succession, open_submission
from mpc_engine.sharing.intake_refusals import IntakeRefusal, refusal
from tests.engine.sharing.listed import layout_of, read_vectors

FILE = read_vectors("intake")
LAYOUTS = {name: layout_of(study) for name, study in FILE["studies"].items()}
REFUSED = [case for case in FILE["cases"] if case["refusal"] is not None]
ACCEPTED = [case for case in FILE["cases"] if case["refusal"] is None]


def deliver(case: dict[str, Any]) -> HeldShare:
    role = Role(case["role"])
    handed: dict[str, Any] = {
        field: value if field == "sequence" else bytes.fromhex(value)
        for field, value in case["delivery"].items()
    }
    private_key = HpkePrivateKey(bytes.fromhex(FILE["party_keys"][role.value]["private_key"]))
    return open_submission(
        layout=LAYOUTS[case["study"]], role=role, hpke_private_key=private_key, **handed
    )


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case['role']}: {case['name']}")
def test_a_dishonest_submission_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(IntakeError) as refused:
        deliver(case)
    assert refused.value.code == case["refusal"]


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: f"{case['role']}: {case['name']}")
def test_an_honest_submission_is_accepted(case: dict[str, Any]) -> None:
    assert deliver(case).record_id.hex() == case["delivery"]["record_id"]


@pytest.mark.parametrize("case", FILE["succession"], ids=lambda case: case["name"])
def test_a_later_submission_needs_the_first_ones_owner_and_its_own_sequence(
    case: dict[str, Any],
) -> None:
    def known(submission: dict[str, Any]) -> EarlierSubmission:
        return EarlierSubmission(
            bytes.fromhex(submission["submission_id"]),
            submission["sequence"],
            bytes.fromhex(submission["owner_public_key"]),
        )

    new = known(case["submission"])
    code = None
    try:
        check_succession(
            [known(earlier) for earlier in case["earlier"]],
            new.submission_id,
            new.sequence,
            new.owner_public_key,
        )
    except IntakeError as error:
        code = error.code
    assert code == case["refusal"]


def test_every_reason_of_intake_has_a_vector() -> None:
    covered = {case["refusal"] for case in FILE["cases"] + FILE["succession"]} - {None}
    elsewhere = {  # padded messages, and what only the party's own store knows
        IntakeRefusal.PADDING_BROKEN,
        IntakeRefusal.ENVELOPE_REPEATED,
    }
    assert covered == {reason.value for reason in IntakeRefusal} - {r.value for r in elsewhere}


@pytest.mark.parametrize("reason", IntakeRefusal)
def test_every_reason_has_a_sentence(reason: IntakeRefusal) -> None:
    error = refusal(reason)
    assert error.code == reason.value
    assert error.sentence.endswith(".")
