from __future__ import annotations

import base64
import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.post.exchanges.about_people import TakeSubmission
from mpc_engine.control.post.exchanges.about_studies import MakeStudyKey
from mpc_engine.control.post.orders import read_order
from mpc_engine.control.post.table import ORDERS
from mpc_engine.errors import UsageError

ID = "ab" * 16
SUBMISSION: dict[str, Any] = {
    "study_id": ID,
    "record_id": ID,
    "submission_id": ID,
    "sequence": 0,
    "envelope": base64.b64encode(b"sealed").decode(),
    "other_envelope_digest": "00" * 32,
    "owner_key": "04" + "11" * 64,
    "signature": base64.b64encode(bytes(64)).decode(),
}


def test_orders_read_into_their_types() -> None:
    assert read_order("make_study_key", {"study_id": ID}) == MakeStudyKey(bytes.fromhex(ID))
    order = read_order("submission", SUBMISSION)
    assert isinstance(order, TakeSubmission)
    assert order.envelope == b"sealed"


@pytest.mark.parametrize("field", sorted(SUBMISSION))
def test_a_missing_or_mistyped_field_is_named(field: str) -> None:
    without = {name: value for name, value in SUBMISSION.items() if name != field}
    for payload in (without, {**SUBMISSION, field: None}, {**SUBMISSION, field: [1]}):
        with pytest.raises(UsageError, match=field) as caught:
            read_order("submission", payload)
        assert caught.value.code == "ORDER_INVALID"


@pytest.mark.parametrize(
    "change",
    [
        {"sequence": -1},
        {"sequence": 1 << 32},
        {"sequence": True},
        {"study_id": ID.upper()},
        {"envelope": "not base64!"},
        {"envelope": "YQ"},
        {"extra": 1},
    ],
)
def test_values_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        read_order("submission", {**SUBMISSION, **change})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.sampled_from(list(ORDERS)) | _JSON, _JSON)
def test_nonsense_raises_nothing_but_a_refusal(kind: object, payload: object) -> None:
    with contextlib.suppress(UsageError):
        read_order(kind, payload)
