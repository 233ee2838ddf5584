from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kombu.exceptions import OperationalError
from redis.exceptions import NoPermissionError

from mpc_engine.control.post.table import ORDERS
from mpc_engine.errors import UsageError
from mpc_engine.party.worker.receive import receive
from mpc_engine.party.zone.faults import MAX_SENTENCE, refusal_values
from mpc_engine.roles import Role
from tests.engine.party.world import World, submission

M = Role.MODELER
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(list(ORDERS)) | _JSON, _JSON)
def test_nonsense_becomes_a_signed_refusal(world: World, kind: Any, payload: Any) -> None:
    if kind in ("report_status", "resynchronise") and payload == {}:
        return
    message = world.order(M, kind, payload)
    assert message.text("code")
    assert message.text("sentence")


@pytest.mark.parametrize("field", ["envelope", "sequence", "owner_key", "signature"])
def test_a_mistyped_submission_is_refused_by_its_ids(world: World, field: str) -> None:
    study = world.open_study(n_invited=1)
    order = submission(study, world.answer(study, 0), M)
    order[field] = None
    message = world.order(M, "submission", order)
    if field == "sequence":
        assert message.kind == "order_refused"
    else:
        assert message.kind == "submission_refused"
        assert message.text("submission_id") == order["submission_id"]


def test_an_unforeseen_fault_is_reported_without_its_text(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("secret 4711")

    monkeypatch.setattr("mpc_engine.party.worker.status.code_digest", broken)
    message = world.order(M, "report_status", {})
    assert message.text("code") == "PARTY_INTERNAL_ERROR"
    assert "4711" not in message.body
    assert "4711" not in caplog.text
    assert "RuntimeError" in caplog.text


def test_what_the_broker_says_is_logged_by_its_kind_alone(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: Any) -> Any:
        raise OperationalError("secret 4711") from NoPermissionError("secret 4711")

    party = world.parties[M]
    monkeypatch.setattr(party.outbox, "_send", refused)
    receive(party, "report_status", {})
    assert "the broker took no message: OperationalError (NoPermissionError)" in caplog.text
    assert "4711" not in caplog.text


def test_a_full_disk_is_reported_and_nothing_is_lost(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    study = world.open_study(n_invited=1)
    order = submission(study, world.answer(study, 0), M)

    def full(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("mpc_engine.party.services.intake.open_submission", full)
        assert world.order(M, "submission", order).text("code") == "DISK_FULL"
    assert "ENOSPC" in caplog.text
    assert world.order(M, "submission", order).kind == "receipt"


def test_a_missing_descriptor_of_the_peer_is_a_typed_refusal(world: World) -> None:
    study = world.configure()
    world.parties[M].config.peer_public.unlink()
    payload = {
        "study_id": study.study_id.hex(),
        "attempt_id": "a7" * 16,
        "text": study.text,
        "approvals": world.approvals("configuration", study.text),
    }
    message = world.order(M, "accept_configuration", payload)
    assert (message.kind, message.text("code")) == ("configuration_refused", "PEER_UNKNOWN")


def test_status_counts_and_names_nothing_secret(world: World) -> None:
    status = world.order(M, "report_status", {}).object("status")
    assert (status["role"], status["peer"], status["n_studies"]) == ("modeler", "Regulator", 0)


def test_not_even_a_failing_broker_ends_the_worker(world: World) -> None:
    world.broker_is_away = True
    receive(world.parties[M], "nonsense", {})
    receive(world.parties[M], "report_status", {})
    world.broker_is_away = False
    assert world.parties[M].outbox.flush() == 2


def test_sentences_are_made_printable_and_short() -> None:
    values = refusal_values(UsageError("a\x00b\ud800" + "x" * 5000))
    assert str(values["sentence"]).startswith("a b x")
    assert len(str(values["sentence"])) == MAX_SENTENCE
    assert refusal_values(UsageError(""))["sentence"]
