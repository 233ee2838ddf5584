from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from mpc_engine.control.post.messages import message_body, read_content, sign_message
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import IntakeError
from mpc_engine.party.studies.closed_records import read_closed_records
from mpc_engine.party.studies.known_study import StudyState, load_study, sealing_key
from mpc_engine.party.worker.receive import receive
from mpc_engine.protocols.session import JobContext
from mpc_engine.roles import Role
from tests.engine.party import plain_protocols
from tests.engine.party.stories import JOB_ID, close, closed_study, closing_spec, with_protocols
from tests.engine.party.world import M, R, World, record, submission


def test_both_report_the_same_cohort(world: World) -> None:
    study = world.open_study(n_invited=4)
    for number in range(3):
        world.submit(study, world.answer(study, number, answers=(number % 2, 0)))
    lonely = world.answer(study, 3)
    world.order(M, "submission", submission(study, lonely, M))
    reports = close(world, study)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert reports[M].object("outcome") == reports[R].object("outcome")
    outcome = reports[M].object("outcome")
    assert (outcome["n_records"], outcome["n_disagreed"]) == (3, 1)
    metrics = reports[M].object("metrics")
    assert metrics["bytes_sent"] == reports[R].object("metrics")["bytes_received"]
    assert world.messages(M, "job_progress")


def test_the_latest_answer_both_acknowledged_is_the_one_that_counts(world: World) -> None:
    study = world.open_study(n_invited=1)
    world.submit(study, world.answer(study, 0, features=(0, 0)))
    world.submit(study, world.answer(study, 0, features=(10, 20), sequence=1))
    share = world.answer(study, 0, features=(30, 40), sequence=2)
    world.order(R, "submission", submission(study, share, R))
    close(world, study)
    party = world.parties[R]
    with party.database.reading() as connection:
        records = read_closed_records(connection, party.cipher, study.study_id, slice(0, 1))
    assert records.features is not None
    assert records.features.tolist() == [[10, 20]]


def test_after_closing_shares_and_their_key_are_gone(world: World) -> None:
    study, _ = closed_study(world)
    late = submission(study, world.answer(study, 0, sequence=1), M)
    for role, party in world.parties.items():
        assert load_study(party, study.study_id).state is StudyState.CLOSED
        assert world.n_rows(role, "shares") == 0
        key_id = study.party(role).key_id
        with pytest.raises(Exception, match="read"):
            party.keys.study_key(study.study_id, key_id)
        renewed = world.messages(role, "study_key")[-1]
        assert renewed.text("key_id") != key_id.hex()
        assert renewed.integer("number") == 2
        for version, code in ((b"\2\0", "KEY_RETIRED"), (b"\1\0", "ENVELOPE_VERSION_UNKNOWN")):
            with pytest.raises(IntakeError) as caught:
                sealing_key(party, study.study_id, version + key_id + bytes(1136))
            assert caught.value.code == code
    assert world.order(M, "submission", late).text("code") == "STUDY_CLOSED"


def test_a_study_without_answers_stays_open(world: World) -> None:
    study = world.open_study()
    reports = close(world, study)
    assert {report.text("code") for report in reports.values()} <= {"NO_RECORDS", "CHANNEL_CLOSED"}
    assert "NO_RECORDS" in {report.text("code") for report in reports.values()}
    assert world.submit(study, world.answer(study, 0))[0].kind == "receipt"


def test_a_party_cannot_drop_a_record_it_acknowledged(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    world.submit(study, world.answer(study, 1))
    with world.parties[M].database.transaction() as connection:
        connection.execute("DELETE FROM shares WHERE record_id = ?", (record(1),))
    reports = close(world, study)
    assert reports[R].text("code") == "RECEIPT_WITHDRAWN"
    assert reports[M].kind == "job_failed"
    assert load_study(world.parties[R], study.study_id).state is StudyState.OPEN


def _add_receipt(world: World, receipt: dict[str, str]) -> None:
    """Let the modeler's receipts have one more when the regulator's party gets them."""
    original = world.receipts

    def receipts(role: Role, study_id: str) -> list[dict[str, str]]:
        return original(role, study_id) + ([receipt] if role is M else [])

    world.receipts = receipts  # type: ignore[method-assign]


def _receipt_by(world: World, key: Ed25519SigningKey, **changes: object) -> dict[str, str]:
    """Return the modeler's first receipt, changed and signed by a key."""
    values = {**world.messages(M, "receipt")[0].values, **changes}
    body = message_body(M, read_content("receipt", values), message_id=bytes(16), sent_at=world.now)
    return {"body": body, "signature": sign_message(body, key).hex()}


def _skipped(world: World) -> list[tuple[str, int]]:
    with world.parties[R].database.reading() as connection:
        return [tuple(row) for row in connection.execute("SELECT code, n FROM refusals")]


def _foreign_receipt(world: World, name: str) -> dict[str, str]:
    own = world.parties[M].keys.signing
    unknown = {"record_id": "77" * 16}
    return {
        "no message": {"body": "x", "signature": "00" * 64},
        "forged": {**_receipt_by(world, own), "signature": "00" * 64},
        "by another key": _receipt_by(world, Ed25519SigningKey.generate(world.rng), **unknown),
        "of another study": _receipt_by(world, own, study_id="00" * 16, **unknown),
    }[name]


@pytest.mark.parametrize("name", ["no message", "forged", "by another key", "of another study"])
def test_a_receipt_that_binds_nobody_is_counted_and_blocks_no_closing(
    world: World, name: str
) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    _add_receipt(world, _foreign_receipt(world, name))
    reports = close(world, study)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert reports[R].object("outcome")["n_records"] == 1
    assert _skipped(world) == [("PEER_RECEIPT_INVALID", 1)]


def test_receipts_passed_over_excuse_no_record_that_is_left_out(world: World) -> None:
    study = world.open_study()
    for number in range(2):
        world.submit(study, world.answer(study, number))
    _add_receipt(world, _foreign_receipt(world, "forged"))
    with world.parties[M].database.transaction() as connection:
        connection.execute("DELETE FROM shares WHERE record_id = ?", (record(1),))
    assert close(world, study)[R].text("code") == "RECEIPT_WITHDRAWN"


def test_a_redelivered_attempt_changes_nothing(world: World) -> None:
    study, _ = closed_study(world)
    before = {role: world.messages(role, "job_result")[-1] for role in Role}
    again = close(world, study)
    assert {role: again[role].body for role in Role} == {role: before[role].body for role in Role}


def test_closing_again_repeats_the_outcome(world: World) -> None:
    study, record_set = closed_study(world)
    reports = close(world, study, attempt=1)
    assert {report.kind for report in reports.values()} == {"job_result"}
    assert reports[M].object("outcome")["record_set"] == record_set.hex()


def test_a_failed_protocol_leaves_the_study_open_and_can_be_tried_again(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))

    def broken(ctx: JobContext, *_: Any) -> Any:
        if ctx.role is R:
            raise ValueError("secret 12345")
        ctx.channel.recv(plain_protocols.TAG)

    reports = close(world, study, with_protocols(run_closing=broken))
    assert reports[R].text("code") == "PARTY_INTERNAL_ERROR"
    assert "12345" not in reports[R].body
    assert reports[M].text("code") == "CHANNEL_CLOSED"
    assert {report.kind for report in close(world, study, attempt=1).values()} == {"job_result"}


def test_a_job_needs_both_approvals_and_the_right_configuration(world: World) -> None:
    study = world.open_study()
    spec = closing_spec(world, study)
    for approvals, code in (
        ([], "APPROVAL_MISSING"),
        (world.approvals("closing", spec, [M]), "APPROVAL_MISSING"),
        (world.approvals("certification", spec), "APPROVAL_SIGNATURE_INVALID"),
    ):
        reports = world.run_job(spec, kind="closing", approvals=approvals)
        assert {report.text("code") for report in reports.values()} == {code}
    other = closing_spec(world, study, configuration=b"x" * 32)
    reports = world.run_job(other, kind="closing")
    assert {report.text("code") for report in reports.values()} == {"JOB_OTHER_CONFIGURATION"}
    assert {report.text("job_id") for report in reports.values()} == {JOB_ID.hex()}


def test_a_job_may_not_ask_for_more_time_than_the_party_gives(world: World) -> None:
    study = world.open_study()
    reports = world.run_job(closing_spec(world, study, time_limit_s=80_000), kind="closing")
    assert {report.text("code") for report in reports.values()} == {"JOB_TIME_LIMIT_HIGH"}


def test_a_peer_that_never_comes_ends_in_a_typed_failure(world: World) -> None:
    study = world.open_study()
    spec = closing_spec(world, study, time_limit_s=1)
    reports = world.run_job(spec, kind="closing", roles=[M])
    assert reports[M].text("code") == "PEER_TIMEOUT"
    assert load_study(world.parties[M], study.study_id).state is StudyState.OPEN


@pytest.mark.slow
def test_parties_with_different_attempts_do_not_meet(world: World) -> None:
    study = world.open_study()
    world.submit(study, world.answer(study, 0))
    spec = closing_spec(world, study, time_limit_s=3)
    threads = []

    def until_its_deadline(*order: Any) -> None:
        while not receive(*order):
            time.sleep(0.1)

    for role, attempt in ((M, 0), (R, 1)):
        payload = {
            "spec": spec,
            "attempt": attempt,
            "approvals": world.approvals("closing", spec),
            "receipts": [],
        }
        args = (world.parties[role], "run_job", payload, plain_protocols.PLAIN)
        threads.append(threading.Thread(target=until_its_deadline, args=args))
        threads[-1].start()
    for thread in threads:
        thread.join(20)
    assert [world.messages(role)[-1].kind for role in Role] == ["job_failed", "job_failed"]
