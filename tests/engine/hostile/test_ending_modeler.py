"""A modeler that deviates at the end decodes nothing before its proof is known to be right.

It leaves its own checks out; the regulator is the real one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import (
    DisputedError,
    InvalidSignatureError,
    RefusedError,
    SumMismatchError,
    UsageError,
)
from mpc_engine.protocols import session
from mpc_engine.protocols.certification.scores import score_shape
from mpc_engine.protocols.ending import modeler as modelers_end
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.testing.ends import KEYS
from tests.engine.hostile.cheating import never_stop
from tests.engine.hostile.ending_cases import CHALLENGED, RATES
from tests.engine.hostile.ending_runs import EVERY_KIND, Run

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

M, R = Role.MODELER, Role.REGULATOR


def _shifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody's score is what M wants: her decision, and so which people are counted."""
    honest = session.recv_keyed_products
    width = score_shape(RATES).width

    def altered(*args: Any) -> tuple[NDArray[np.uint64], int]:
        v, t = honest(*args)
        return v + np.uint64(1 << (width - 2)), t

    monkeypatch.setattr(session, "recv_keyed_products", altered)


def test_a_modeler_that_shifts_scores_decodes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _shifted(monkeypatch)
    never_stop(monkeypatch)
    run = Run(RATES)
    assert M not in run.results, "the modeler decoded an outcome of its choice"
    assert isinstance(run.failures[R], SumMismatchError)
    assert not run.sent(R, ProtocolTag.DECODING_OPENING)
    assert not run.ends[R].kept
    (expected,) = run.sent(R, ProtocolTag.EXPECTED_PROOF)
    (opened,) = run.sent(M, ProtocolTag.PROOF_OPENING)
    assert expected[:8] != opened[1:9]


def test_a_modeler_that_hears_the_proof_first_cannot_open_it_as_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It shifts its scores and copies what the regulator expects: it had committed before."""
    _shifted(monkeypatch)
    never_stop(monkeypatch)
    heard: list[bytes] = []

    def expecting(ctx: Any, signed: Any, proof: bytes) -> None:
        tag = ProtocolTag.EXPECTED_PROOF
        heard.append(signed.received(tag, ctx.channel.recv(tag, size=72)))
        honest = signed.signed

        def replayed(tag: ProtocolTag, body: bytes) -> Any:
            if tag is ProtocolTag.PROOF_OPENING:
                body = body[:1] + heard[0] + body[9:]
            return honest(tag, body)

        signed.signed = replayed

    monkeypatch.setattr(modelers_end, "_expect_proof", expecting)
    run = Run(RATES)
    assert heard
    assert M not in run.results, "the modeler decoded an outcome of its choice"
    assert run.code(R) == "COMMITMENT_BROKEN"
    assert not run.sent(R, ProtocolTag.DECODING_OPENING)


def test_a_modeler_that_saw_and_refuses_is_named_and_the_question_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refusing(*args: Any) -> Any:
        raise DisputedError("I don't like it.", code="OUTCOME_IMPLAUSIBLE")

    monkeypatch.setattr("mpc_engine.protocols.certification.ending.require_plausible", refusing)
    run = Run(RATES)
    assert isinstance(run.failures.get(R), RefusedError)
    assert run.ends[R].kept


def test_an_outcome_that_cannot_be_read_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of another kind while it looks: silence would leave the question open."""

    def failing(*args: Any) -> Any:
        raise ValueError("3 is not a verdict")

    monkeypatch.setattr("mpc_engine.protocols.certification.ending.require_plausible", failing)
    run = Run(RATES)
    assert isinstance(run.failures.get(R), RefusedError)
    assert run.code(M) == "OUTCOME_IMPLAUSIBLE"


def _with_labels(patch: pytest.MonkeyPatch, change: Callable[[int, bytearray], None]) -> None:
    """Let the modeler change what it commits to (call 0) and what it opens (call 1)."""
    never_stop(patch)
    honest = modelers_end.label_bytes
    n_calls = 0

    def changed(labels: NDArray[np.uint64]) -> bytes:
        nonlocal n_calls
        content = bytearray(honest(labels))
        change(n_calls, content)
        n_calls += 1
        return bytes(content)

    patch.setattr(modelers_end, "label_bytes", changed)


@EVERY_KIND
def test_a_forged_last_label_is_a_refusal(spec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def forge(call: int, content: bytearray) -> None:
        content[-3] ^= 4

    _with_labels(monkeypatch, forge)
    run = Run(spec)
    assert isinstance(run.failures.get(R), RefusedError)


@EVERY_KIND
def test_labels_changed_after_the_modeler_saw_are_a_refusal(
    spec: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had committed to others: what is opened must be what was committed to."""

    def change(call: int, content: bytearray) -> None:
        content[-3] ^= 4 * (call == 0)

    _with_labels(monkeypatch, change)
    run = Run(spec)
    assert isinstance(run.failures.get(R), RefusedError), "an answer of another commitment counted"


@EVERY_KIND
def test_an_unsigned_answer_is_no_refusal(spec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody on the line who says that the modeler refused says nothing."""
    honest = KEYS[M].sign
    last = 3 if spec is not CHALLENGED else 2
    n_signed = 0

    def sign(message: bytes) -> bytes:
        nonlocal n_signed
        n_signed += 1
        return honest(message) if n_signed < last else bytes(64)

    monkeypatch.setattr(KEYS[M], "sign", sign)
    run = Run(spec)
    with pytest.raises(InvalidSignatureError):
        raise run.failures.get(R, UsageError("DID NOT RAISE"))
