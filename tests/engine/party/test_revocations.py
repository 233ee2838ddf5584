"""A certificate is revoked: signed by one party, obeyed by the other, listed for everyone."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from mpc_engine.control.files.revocation import (
    parse_revocation_list,
    sign_revocation,
    verify_revocation,
    verify_revocation_list,
)
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.study_texts import Revocation, deployment_text, revocation_text
from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import UsageError
from mpc_engine.party.services.decisions import DecisionCase, decide_cases
from mpc_engine.roles import Role
from tests.engine.party.heard import Heard
from tests.engine.party.stories import (
    HONEST_X,
    MODEL_ID,
    certified_study,
    certify,
    challenge,
    closed_study,
    hand_in,
    outcomes,
    verify,
)
from tests.engine.party.world import M, R, World

REASON = "The sample was wrong."
FIRST, SECOND = b"1" * 16, b"2" * 16


def _text(world: World, certificate: bytes, reason: str = REASON, **late: int) -> str:
    return revocation_text(Revocation(certificate, reason, world.now + timedelta(**late)))


def _to_sign(
    world: World, study: Configuration, certificate: bytes, text: str, role: Role = R
) -> dict[str, Any]:
    (approval,) = world.approvals("revocation", text, [role])
    return {
        "study_id": study.study_id.hex(),
        "certificate_id": certificate.hex(),
        "text": text,
        "approval": approval,
    }


def _to_take(study: Configuration, certificate: bytes, text: str, signature: str) -> dict[str, Any]:
    return {
        "study_id": study.study_id.hex(),
        "certificate_id": certificate.hex(),
        "text": text,
        "statement_signature": signature,
    }


def _revoke(world: World, study: Configuration, certificate: bytes) -> Heard:
    """Revoke at both parties; return what the modeler's says."""
    text = _text(world, certificate)
    signed = world.order(R, "sign_revocation", _to_sign(world, study, certificate, text))
    assert signed.kind == "revocation_signed"
    order = _to_take(study, certificate, text, signed.text("statement_signature"))
    return world.order(M, "take_revocation", order)


def _decide(world: World, study: Configuration, certificate: bytes, *cases: str) -> list[Any]:
    asked = [DecisionCase(case, HONEST_X) for case in cases]
    return [
        record.to_json()
        for record in decide_cases(world.parties[M], study.study_id, certificate, asked)
    ]


def test_the_regulators_party_signs_what_its_approver_signed(world: World) -> None:
    study, certificate = certified_study(world)
    text = _text(world, certificate)
    order = _to_sign(world, study, certificate, text)
    signed = world.order(R, "sign_revocation", order)
    assert (signed.kind, signed.text("revocation")) == (
        "revocation_signed",
        sha256(text.encode()).hex(),
    )
    signature = bytes.fromhex(signed.text("statement_signature"))
    assert verify_revocation(text, signature, world.signing_keys[R]).reason == REASON
    again = world.order(R, "sign_revocation", order)
    assert again.values == signed.values


def test_a_signed_revocation_is_answered_though_its_approver_left(world: World) -> None:
    study, certificate = certified_study(world)
    order = _to_sign(world, study, certificate, _text(world, certificate))
    assert world.order(R, "sign_revocation", order).kind == "revocation_signed"
    order["approval"]["key_id"] = "00" * 16
    assert world.order(R, "sign_revocation", order).kind == "revocation_signed"


def test_the_modelers_party_acknowledges_once_and_again(world: World) -> None:
    study, certificate = certified_study(world)
    said = _revoke(world, study, certificate)
    assert (said.kind, said.text("certificate_id")) == ("certificate_revoked", certificate.hex())
    assert _revoke(world, study, certificate).values == said.values
    assert world.n_rows(M, "revocations") == 1


def test_an_acknowledgement_waits_for_the_broker_and_outlives_the_process(world: World) -> None:
    study, certificate = certified_study(world)
    text = _text(world, certificate)
    signature = sign_revocation(text, world.parties[R].keys.signing).hex()
    world.broker_is_away = True
    with pytest.raises(AssertionError, match="said nothing"):
        world.order(M, "take_revocation", _to_take(study, certificate, text, signature))
    world.broker_is_away = False
    assert world.parties[M].outbox.flush() == 1
    assert world.messages(M)[-1].kind == "certificate_revoked"
    world.parties[M].database.close()
    with pytest.raises(UsageError, match="revoked"):
        _decide(world, study, certificate, "A")


def test_nothing_new_is_decided_under_a_revoked_certificate(world: World) -> None:
    study, certificate = certified_study(world)
    before = _decide(world, study, certificate, "A")
    _revoke(world, study, certificate)
    for cases in (["B"], ["A", "B"]):
        with pytest.raises(UsageError) as refused:
            _decide(world, study, certificate, *cases)
        assert refused.value.code == "CERTIFICATE_REVOKED"
        assert REASON in refused.value.sentence
        assert f"{world.now:%Y-%m-%d}" in refused.value.sentence
    assert _decide(world, study, certificate, "A") == before


def test_a_decision_made_before_is_challenged_and_answered(world: World) -> None:
    study, certificate = certified_study(world)
    (record,) = _decide(world, study, certificate, "A")
    accepted = challenge(world, study, certificate, FIRST, record=record)
    assert accepted.kind == "challenge_accepted"
    _revoke(world, study, certificate)
    assert challenge(world, study, certificate, SECOND, decision=0).text("source") == "typed"
    reports = verify(world, study, certificate, [FIRST, SECOND])
    assert outcomes(reports[R]) == ["CONFIRMED", "DIFFERENT_DECISION"]


def test_a_model_whose_certificate_was_revoked_is_not_put_into_use(world: World) -> None:
    study, certificate = certified_study(world)

    def deploy() -> Heard:
        text = deployment_text(study.study_id, MODEL_ID, world.now)
        (approval,) = world.approvals("deployment", text, [M])
        order = {"study_id": study.study_id.hex(), "text": text, "approval": approval}
        return world.order(M, "deploy_model", order)

    assert deploy().kind == "model_deployed"
    _revoke(world, study, certificate)
    assert deploy().kind == "model_deployed", "the order that was carried out, again"
    world.later(hours=1)
    refused = deploy()
    assert (refused.kind, refused.text("code")) == ("deployment_refused", "CERTIFICATE_REVOKED")


def test_another_certificate_stays_as_it_was(world: World) -> None:
    study, record_set = closed_study(world)
    certificates = []
    for name in (FIRST, SECOND):
        hand_in(world, study, name, "0", "0.001", intercept="-1")
        reports = certify(world, study, record_set, model_id=name, job_id=name)
        certificate = json.loads(str(reports[R].object("outcome")["certificate"]))
        certificates.append(bytes.fromhex(certificate["certificate_id"]))
    revoked, kept = certificates
    _revoke(world, study, revoked)
    assert _decide(world, study, kept, "A")


def test_a_revocation_without_the_regulators_approver_is_not_signed(world: World) -> None:
    study, certificate = certified_study(world)
    text = _text(world, certificate)
    order = _to_sign(world, study, certificate, text)
    stranger = dict(order, approval={**order["approval"], "key_id": "00" * 16})
    forged = dict(order, text=_text(world, certificate, "Another reason."))
    by_modeler = _to_sign(world, study, certificate, text, M)
    for refused, code in (
        (stranger, "APPROVER_UNKNOWN"),
        (forged, "APPROVAL_SIGNATURE_INVALID"),
        (by_modeler, "APPROVAL_MISSING"),
    ):
        said = world.order(R, "sign_revocation", refused)
        assert (said.kind, said.text("code")) == ("revocation_refused", code)
        assert said.text("certificate_id") == certificate.hex()
    assert world.order(R, "sign_revocation", order).kind == "revocation_signed"


def test_a_revocation_by_another_key_is_not_taken(world: World) -> None:
    study, certificate = certified_study(world)
    text = _text(world, certificate)
    own = world.parties[M].keys.signing
    other = world.parties[R].keys.signing
    for signature in (
        sign_revocation(text, own),
        sign_revocation(_text(world, certificate, "Another reason."), other),
        other.sign(text.encode()),
        bytes(64),
    ):
        order = _to_take(study, certificate, text, signature.hex())
        said = world.order(M, "take_revocation", order)
        assert (said.kind, said.text("code")) == (
            "revocation_refused",
            "REVOCATION_SIGNATURE_INVALID",
        )
    assert _decide(world, study, certificate, "A")


def test_a_wrong_or_unknown_certificate_is_named_and_a_later_order_is_taken(world: World) -> None:
    study, certificate = certified_study(world)
    unknown = b"?" * 16
    key = world.parties[R].keys.signing
    for name, text, code in (
        (unknown, _text(world, unknown), "CERTIFICATE_UNKNOWN"),
        (unknown, _text(world, certificate), "REVOCATION_OTHER_CERTIFICATE"),
        (certificate, _text(world, unknown), "REVOCATION_OTHER_CERTIFICATE"),
    ):
        said = world.order(R, "sign_revocation", _to_sign(world, study, name, text))
        assert (said.kind, said.text("code")) == ("revocation_refused", code)
        order = _to_take(study, name, text, sign_revocation(text, key).hex())
        said = world.order(M, "take_revocation", order)
        assert (said.kind, said.text("code")) == ("revocation_refused", code)
    assert _revoke(world, study, certificate).kind == "certificate_revoked"


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_date_before_the_certificate_or_in_the_future_is_not_signed(
    world: World, hours: int
) -> None:
    study, certificate = certified_study(world)
    order = _to_sign(world, study, certificate, _text(world, certificate, hours=hours))
    assert world.order(R, "sign_revocation", order).text("code") == "REVOCATION_DATE"


def test_another_text_about_a_revoked_certificate_changes_nothing(world: World) -> None:
    study, certificate = certified_study(world)
    _revoke(world, study, certificate)
    text = _text(world, certificate, "Another reason.")
    order = _to_sign(world, study, certificate, text)
    assert world.order(R, "sign_revocation", order).text("code") == "CERTIFICATE_REVOKED"
    signature = sign_revocation(text, world.parties[R].keys.signing).hex()
    said = world.order(M, "take_revocation", _to_take(study, certificate, text, signature))
    assert said.text("code") == "CERTIFICATE_REVOKED"
    with pytest.raises(UsageError, match=REASON):
        _decide(world, study, certificate, "A")


def test_each_party_takes_its_own_order_alone(world: World) -> None:
    study, certificate = certified_study(world)
    text = _text(world, certificate)
    for role, kind, order in (
        (M, "sign_revocation", _to_sign(world, study, certificate, text)),
        (R, "take_revocation", _to_take(study, certificate, text, "00" * 64)),
    ):
        said = world.order(role, kind, order)
        assert (said.kind, said.text("code")) == ("revocation_refused", "NOT_FOR_THIS_PARTY")
    assert world.order(M, "list_revocations", {}).text("code") == "NOT_FOR_THIS_PARTY"


def test_a_revocation_of_an_unknown_study_is_refused(world: World) -> None:
    study, certificate = certified_study(world)
    text = _text(world, certificate)
    signature = sign_revocation(text, world.parties[R].keys.signing).hex()
    order = _to_take(study, certificate, text, signature)
    said = world.order(M, "take_revocation", {**order, "study_id": "00" * 16})
    assert (said.kind, said.text("code")) == ("revocation_refused", "STUDY_UNKNOWN")


def _list(world: World) -> Any:
    said = world.order(R, "list_revocations", {})
    signature = bytes.fromhex(said.text("list_signature"))
    return verify_revocation_list(said.text("text"), signature, world.signing_keys[R])


def test_the_list_grows_with_each_revocation_and_each_half_day(world: World) -> None:
    study, certificate = certified_study(world)
    first = _list(world)
    assert (first.number, dict(first.revoked)) == (int(world.now.timestamp()), {})
    assert _list(world) == first
    _revoke(world, study, certificate)
    second = _list(world)
    assert (second.number, list(second.revoked)) == (first.number + 1, [certificate])
    digest = world.messages(M, "certificate_revoked")[-1].text("revocation")
    assert second.revoked[certificate].revocation.hex() == digest
    world.later(hours=13)
    third = _list(world)
    assert (third.issued_at, third.revoked) == (world.now, second.revoked)
    assert third.number > second.number
    assert third.next_update > third.issued_at + timedelta(days=1)


def test_a_party_that_lost_its_lists_goes_on_with_higher_numbers(world: World) -> None:
    certified_study(world)
    last = _list(world)
    world.later(hours=13)
    with world.parties[R].database.transaction() as connection:
        connection.execute("DELETE FROM revocation_lists")
    assert _list(world).number > last.number


def test_a_list_of_a_clock_that_was_fast_is_not_given_out_again(world: World) -> None:
    certified_study(world)
    fast = _list(world)
    world.later(hours=-1)
    present = _list(world)
    assert (present.number, present.issued_at) == (fast.number + 1, world.now)


def test_a_certificate_that_ended_is_not_listed_any_more(world: World) -> None:
    study, certificate = certified_study(world)
    _revoke(world, study, certificate)
    assert list(_list(world).revoked) == [certificate]
    world.later(days=study.certificate_days + 1)
    assert not _list(world).revoked


def test_a_party_with_a_new_key_signs_a_new_list(world: World) -> None:
    certified_study(world)
    last = _list(world)
    with world.parties[R].database.transaction() as connection:
        text = connection.execute("SELECT text FROM revocation_lists").fetchone()[0]
        key = parse_revocation_list(text).regulator_key.hex()
        connection.execute("UPDATE revocation_lists SET text = ?", (text.replace(key, "11" * 32),))
    assert _list(world).number == last.number + 1


def test_an_approver_of_another_party_is_a_stranger(world: World) -> None:
    study, certificate = certified_study(world)
    world.approvers[R] = P256SigningKey(4711)
    order = _to_sign(world, study, certificate, _text(world, certificate))
    assert world.order(R, "sign_revocation", order).text("code") == "APPROVER_UNKNOWN"
