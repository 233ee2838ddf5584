"""A verification with prepared material equals its oracle; an item gives nothing away before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.errors import (
    ChannelClosedError,
    DecodeError,
    DisputedError,
    OTConsistencyError,
    RefusedError,
)
from mpc_engine.garbling import Evaluator, Garbler
from mpc_engine.ot import extension
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.verification.plaintext import verify_in_the_clear
from mpc_engine.protocols.verification.preparation import (
    EvaluatorItem,
    GarblerItem,
    decode_evaluator_item,
    decode_garbler_item,
    masked,
)
from mpc_engine.protocols.verification.protocol import verify_as_regulator
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.vocabulary.verdicts import VerificationResult
from tests.engine.hostile.cheating import never_stop
from tests.engine.protocols import datasets
from tests.engine.protocols.both_sides import prepare_on_both_sides, verify_on_both_sides
from tests.engine.protocols.running import job_context

_NONCE = bytes(range(32))
_DIGEST = b"\x21" * 32
_THETA = [12345, -70000, 8, 1 << 20]
_SPEC = VerificationSpec(_DIGEST, 3, datasets.X_FRAC_BITS, 24, ((-500, 500),) * 3)
_SIGNATURE = model_signature(_DIGEST, _NONCE, _THETA)


def _prepare(seed: int = 1, signature: bytes = _SIGNATURE) -> tuple[EvaluatorItem, GarblerItem]:
    return prepare_on_both_sides(_SPEC, signature, seed=seed)


def _stored(
    items: tuple[EvaluatorItem, GarblerItem],
) -> tuple[EvaluatorItem, GarblerItem]:
    """Return both sides as they come back from where they were kept."""
    modeler, regulator = items
    return (
        decode_evaluator_item(_SPEC, modeler.stock_id, modeler.encode()),
        decode_garbler_item(_SPEC, regulator.stock_id, regulator.encode()),
    )


def _verify(
    items: tuple[EvaluatorItem, GarblerItem],
    cases: list[tuple[list[int], int]],
    theta: list[int] = _THETA,
    nonce: bytes = _NONCE,
) -> list[VerificationResult]:
    return verify_on_both_sides(_SPEC, _SIGNATURE, theta, cases, nonce, items, seed=99)


def _cases(n: int) -> list[tuple[list[int], int]]:
    """Return cases of which every third claims the wrong decision."""
    rows = np.random.default_rng(n).integers(-500, 501, (n, 3)).tolist()
    return [
        (row, decide(_THETA, row, datasets.X_FRAC_BITS) ^ (number % 3 == 0))
        for number, row in enumerate(rows)
    ]


@pytest.mark.parametrize("n_cases", [1, 300])
def test_results_equal_the_oracles_with_right_and_wrong_claims(n_cases: int) -> None:
    cases = _cases(n_cases)
    results = _verify(_stored(_prepare()), cases)
    assert results == verify_in_the_clear(_SPEC, _SIGNATURE, _THETA, _NONCE, cases)


def test_many_items_and_models_agree_with_the_oracle() -> None:
    dice = np.random.default_rng(5)
    for seed in range(2, 8):
        theta = [int(value) for value in dice.integers(-(1 << 23), 1 << 23, 4)]
        theta = _THETA if seed % 2 else theta
        cases = _cases(seed)
        results = _verify(_prepare(seed), cases, theta)
        assert results == verify_in_the_clear(_SPEC, _SIGNATURE, theta, _NONCE, cases)


@pytest.mark.parametrize(
    ("theta", "nonce"),
    [([12346, *_THETA[1:]], _NONCE), (_THETA, bytes(32))],
    ids=["another coefficient", "another nonce"],
)
def test_another_model_than_the_certified_one_is_noticed(theta: list[int], nonce: bytes) -> None:
    results = _verify(_prepare(), _cases(2), theta, nonce)
    assert set(results) == {VerificationResult.DIFFERENT_MODEL}


def test_a_forged_label_fails_the_whole_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Evaluator.evaluate

    def forged(self: Evaluator, *args: Any) -> NDArray[np.uint64]:
        labels = honest(self, *args)
        labels[-1, -1, 1] ^= np.uint64(1 << 40)
        return labels

    items = _prepare()
    monkeypatch.setattr(Evaluator, "evaluate", forged)
    never_stop(monkeypatch)
    with pytest.raises(RefusedError):
        _verify(items, _cases(3))


def test_sides_of_two_items_verify_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels and keys of different sessions: garbage, which either side notices."""
    with pytest.raises(DisputedError):
        _verify((_prepare(2)[0], _prepare(3)[1]), _cases(2))
    never_stop(monkeypatch)
    with pytest.raises(RefusedError):
        _verify((_prepare(2)[0], _prepare(3)[1]), _cases(2))


def test_contradicting_choices_end_a_preparation_with_nothing_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = extension.RandomOTReceiver._columns

    def other_choice_in_one_column(self: Any, packed: Any) -> Any:
        columns, corrections = honest(self, packed)
        corrections[:64] ^= np.uint64(1)
        return columns, corrections

    monkeypatch.setattr(extension.RandomOTReceiver, "_columns", other_choice_in_one_column)
    with pytest.raises(OTConsistencyError):
        _prepare()


def test_both_sides_have_one_name_and_no_two_items_share_it_or_anything() -> None:
    first, second = _prepare(2), _prepare(3)
    assert first[0].stock_id == first[1].stock_id != second[0].stock_id
    assert first[0].hash_key == first[1].hash_key != second[0].hash_key
    assert not np.array_equal(first[1].delta, second[1].delta)
    assert first[1].table_key != second[1].table_key


def test_the_modeler_holds_no_label_of_the_circuit_before_its_inputs_are_fixed() -> None:
    modeler, regulator = _prepare()
    both = [regulator.model_zero, regulator.model_zero ^ regulator.delta]
    labels = {label.tobytes() for side in both for label in side}
    held = modeler.encode()
    assert not any(held[at : at + 16] in labels for at in range(len(held) - 16))


def test_tables_go_out_masked() -> None:
    """Without the key they are not what was garbled; with it they are."""
    garbled: list[NDArray[np.uint64]] = []
    honest = Garbler.garble

    def noting(self: Garbler, *args: Any) -> Any:
        result = honest(self, *args)
        garbled.append(result.tables)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Garbler, "garble", noting)
        modeler, regulator = _prepare()
    (tables,) = garbled
    assert not np.any(modeler.masked_tables == tables)
    assert np.array_equal(masked(modeler.masked_tables, regulator.table_key), tables)


def test_nothing_is_given_out_before_the_modelers_bits_are_fixed() -> None:
    sent: list[bytes] = []
    item = _prepare()[1]
    modeler, regulator = memory_channel_pair(timeout_s=60, tap_b=sent.append)
    modeler.close()
    with pytest.raises(ChannelClosedError):
        verify_as_regulator(
            job_context(Role.REGULATOR, regulator), _SPEC, _SIGNATURE, _cases(1), item
        )
    assert sent == []


def test_a_side_is_not_shown_and_reads_strictly() -> None:
    modeler, regulator = _prepare()
    assert repr(modeler) == "EvaluatorItem(<secret>)"
    assert repr(regulator) == "GarblerItem(<secret>)"
    for read, side in ((decode_evaluator_item, modeler), (decode_garbler_item, regulator)):
        data = side.encode()
        assert read(_SPEC, side.stock_id, data).encode() == data
        for broken in (data[:-1], data + b"\0", b""):
            with pytest.raises(DecodeError):
                read(_SPEC, side.stock_id, broken)


def test_choices_are_drawn_and_flips_hide_the_model() -> None:
    """The modeler's prepared bits are half ones, whatever its model; they mask it bit by bit."""
    choices = np.concatenate([_prepare(seed)[0].choices for seed in range(2, 6)])
    assert abs(float(choices.mean()) - 0.5) < 6 * 0.5 / np.sqrt(len(choices))
