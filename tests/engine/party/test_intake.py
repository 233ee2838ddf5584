from __future__ import annotations

import base64
from typing import Any

import pytest

from mpc_engine.party.worker.receive import receive
from mpc_engine.sharing.sealed import encapsulation_digest
from tests.engine.party.world import M, R, World, owner, record, submission


def test_both_parties_sign_receipts_over_the_same_block(world: World) -> None:
    study = world.open_study()
    receipts = world.submit(study, world.answer(study, 0))
    assert [receipt.kind for receipt in receipts] == ["receipt", "receipt"]
    assert len({receipt.text("common_digest") for receipt in receipts}) == 1
    assert receipts[0].text("record_id") == record(0).hex()


def test_the_same_share_delivered_twice_gets_its_receipt_again(world: World) -> None:
    study = world.open_study()
    sent = world.answer(study, 0)
    first, again = world.submit(study, sent), world.submit(study, sent)
    assert [message.values for message in first] == [message.values for message in again]


def test_an_answer_may_be_replaced_by_its_owner_only(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    replaced = world.submit(study, world.answer(study, 0, answers=(1, 2), sequence=1))
    assert [message.kind for message in replaced] == ["receipt", "receipt"]
    forged = world.answer(study, 0, sequence=2, owner_key=owner(1))
    assert {message.text("code") for message in world.submit(study, forged)} == {
        "OWNER_KEY_CHANGED"
    }


def test_another_answer_under_a_taken_sequence_is_refused(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    refused = world.submit(study, world.answer(study, 0))
    assert {message.text("code") for message in refused} == {"SEQUENCE_TAKEN"}


def test_an_encapsulated_key_is_taken_once_in_a_study(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    order = submission(study, world.answer(study, 1), M)
    with world.parties[M].database.transaction() as connection:
        digest = encapsulation_digest(base64.b64decode(order["envelope"]))
        connection.execute("UPDATE shares SET enc_digest = ?", (digest,))
    assert world.order(M, "submission", order).text("code") == "ENVELOPE_REPEATED"


def test_a_strangers_record_is_refused(world: World) -> None:
    study = world.open_study(n_invited=1)
    refused = world.submit(study, world.answer(study, 5))
    assert {message.text("code") for message in refused} == {"RECORD_NOT_INVITED"}
    assert refused[0].text("record_id") == record(5).hex()


def test_the_code_of_another_record_is_refused(world: World) -> None:
    study = world.open_study()
    world.codes[record(0)] = world.codes[record(1)]
    refused = world.submit(study, world.answer(study, 0))
    assert {message.text("code") for message in refused} == {"CREDENTIAL_WRONG"}


def test_an_envelope_of_another_record_is_refused(world: World) -> None:
    study = world.open_study()
    sent = world.answer(study, 0)
    order = {**submission(study, sent, M), "record_id": record(1).hex()}
    assert world.order(M, "submission", order).text("code") == "ENVELOPE_NOT_OPENED"


def test_an_envelope_for_an_unknown_key_is_refused(world: World) -> None:
    study = world.open_study()
    order = submission(study, world.answer(study, 0), M)
    envelope = bytearray(base64.b64decode(order["envelope"]))
    envelope[2:18] = bytes(16)
    order["envelope"] = base64.b64encode(envelope).decode()
    assert world.order(M, "submission", order).text("code") == "ENVELOPE_FOR_OTHER_KEY"


def test_the_share_of_the_other_party_is_refused(world: World) -> None:
    study = world.open_study()
    order = submission(study, world.answer(study, 0), R)
    assert world.order(M, "submission", order).kind == "submission_refused"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("envelope", base64.b64encode(b"short").decode()),
        ("envelope", ""),
        ("signature", base64.b64encode(bytes(64)).decode()),
        ("other_envelope_digest", "00" * 32),
        ("owner_key", "04" + "00" * 64),
        ("owner_key", "00"),
        ("study_id", "00" * 16),
        ("sequence", 7),
        ("submission_id", "00" * 16),
    ],
)
def test_an_altered_submission_is_refused_by_its_ids(world: World, field: str, value: Any) -> None:
    study = world.open_study()
    order = {**submission(study, world.answer(study, 0), M), field: value}
    message = world.order(M, "submission", order)
    assert message.kind == "submission_refused"
    assert message.text("record_id") == record(0).hex()
    assert world.submit(study, world.answer(study, 0))[0].kind == "receipt"


def test_refusals_are_counted_by_reason(world: World) -> None:
    study = world.open_study(n_invited=1)
    for _ in range(2):
        world.submit(study, world.answer(study, 5))
    with world.parties[M].database.reading() as connection:
        rows = connection.execute("SELECT code, n FROM refusals").fetchall()
    assert [tuple(row) for row in rows] == [("RECORD_NOT_INVITED", 2)]


def test_shares_lie_encrypted_and_bound_to_their_place(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    party = world.parties[R]
    with party.database.reading() as connection:
        row = connection.execute("SELECT * FROM shares").fetchone()
    assert (512).to_bytes(8, "little") not in row["sealed"]
    ids = (study.study_id, record(0), row["submission_id"], bytes(4))
    assert party.cipher.open("share", ids, row["sealed"])
    other = world.parties[M]
    with pytest.raises(Exception, match="altered"):
        other.cipher.open("share", ids, row["sealed"])
    with pytest.raises(Exception, match="altered"):
        party.cipher.open("share", (*ids[:3], b"\1\0\0\0"), row["sealed"])


def test_receipts_wait_for_a_broker_that_is_away(world: World) -> None:
    study = world.open_study()
    sent = world.answer(study, 0)
    world.broker_is_away = True
    before = len(world.sent[M])
    receive(world.parties[M], "submission", submission(study, sent, M))
    assert len(world.sent[M]) == before
    world.broker_is_away = False
    world.order(M, "report_status", {})
    assert [message.kind for message in world.messages(M)[before:]] == ["receipt", "status"]
