"""The table of the post holds together: a kind that lacks something fails here by its name."""

from __future__ import annotations

import dataclasses
import pkgutil
from dataclasses import dataclass

import pytest

from mpc_engine.control.post import exchanges
from mpc_engine.control.post.declarations import Content, Order, OrderRefused, Refusal
from mpc_engine.control.post.exchanges.about_jobs import JobProgress, RunJob
from mpc_engine.control.post.exchanges.about_models import ModelAccepted, TakeModel, TakeOverModel
from mpc_engine.control.post.exchanges.about_parties import ReportStatus
from mpc_engine.control.post.shapes import Id, Record
from mpc_engine.control.post.table import (
    EXCHANGES,
    MESSAGES,
    ORDERS,
    orders_ended_by,
    subject_of,
    subject_under_way,
)
from mpc_engine.roles import Role

WITHOUT_ANSWER = {ReportStatus}
"""Orders that nobody waits for: what they bring is told without them as well."""
ABOUT_NO_STUDY = {
    "order_refused",
    "revocation_list",
    "resynchronised",
    "line_checked",
    "status",
}
ID = b"i" * 16


def _has(record: type[Record], name: str) -> bool:
    return name in record.shapes() or isinstance(getattr(record, name, None), property)


@pytest.mark.parametrize("kind", ORDERS)
def test_every_order_has_an_answer_that_names_the_same(kind: str) -> None:
    order = ORDERS[kind]
    if order in WITHOUT_ANSWER:
        assert not order.answered_by
        assert order.subject is None
        return
    assert order.answered_by, "no message answers it"
    assert order.subject is not None, "nothing tells which order an answer is for"
    ends = {*order.answered_by, order.refused_by, *order.shown_by} - {OrderRefused}
    for record in (order, *ends):
        missing = [name for name in order.subject.names if not _has(record, name)]
        assert not missing, f"{record.__name__} does not tell {missing}"


@pytest.mark.parametrize("kind", ORDERS)
def test_the_party_that_takes_an_order_may_answer_and_refuse_it(kind: str) -> None:
    order = ORDERS[kind]
    for end in {*order.answered_by, order.refused_by}:
        assert set(end.said_by) & set(order.to), f"{end.__name__} is the other party's alone"


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_ends_orders_about_one_subject(kind: str) -> None:
    assert len({order.subject for order in orders_ended_by(MESSAGES[kind])}) <= 1


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_leads_to_its_study(kind: str) -> None:
    leads = {"study_id", "job_id", "challenge_id"} & MESSAGES[kind].shapes().keys()
    assert bool(leads) != (kind in ABOUT_NO_STUDY)


def test_a_refusal_is_a_message_with_code_and_sentence_and_no_other_is() -> None:
    for content in MESSAGES.values():
        tells_why = {"code", "sentence"} <= content.shapes().keys()
        assert tells_why == issubclass(content, Refusal)


@pytest.mark.parametrize("kind", [*ORDERS, *MESSAGES])
def test_no_field_takes_the_name_of_what_a_message_carries_beside_it(kind: str) -> None:
    record = MESSAGES.get(kind) or ORDERS[kind]
    assert not {"format", "role", "message_id", "sent_at", "kind"} & record.shapes().keys()
    assert dataclasses.is_dataclass(record)
    assert record.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_every_module_of_exchanges_is_in_the_table() -> None:
    named = {module.name for module in pkgutil.iter_modules(exchanges.__path__)}
    about = {name for name in named if name.startswith("about_")}
    assert about == {module.__name__.rsplit(".", 1)[-1] for module in EXCHANGES}


def test_an_answer_ends_every_order_that_it_may_answer() -> None:
    accepted = ModelAccepted(study_id=ID, model_id=ID)
    assert set(orders_ended_by(ModelAccepted)) == {TakeModel, TakeOverModel}
    assert subject_of(accepted) == TakeModel(ID, ID, b"").subject_text == f"model:{ID.hex()}"


def test_progress_shows_a_run_to_be_worked_on_and_ends_it_not() -> None:
    progress = JobProgress(job_id=ID, attempt=2, stage="s", done=0, total=1)
    assert subject_of(progress) == ""
    assert subject_under_way(progress) == RunJob.subject.text(ID, 2)  # type: ignore[union-attr]


def test_a_kind_is_declared_once() -> None:
    with pytest.raises(TypeError, match="declared twice"):

        class Again(Content, kind="status"):
            pass

    with pytest.raises(TypeError, match="declared twice"):

        class AgainOrdered(Order, kind="report_status"):
            pass


def test_a_field_without_a_shape_is_no_field() -> None:
    @dataclass(frozen=True)
    class Loose(Content):
        study_id: Id
        anything: bytes

    with pytest.raises(TypeError, match=r"Loose\.anything has no shape"):
        Loose.shapes()


@pytest.mark.parametrize("kind", MESSAGES)
def test_somebody_may_say_it(kind: str) -> None:
    assert set(MESSAGES[kind].said_by) <= set(Role)
    assert MESSAGES[kind].said_by
