"""The person's side: what it refuses to send, and that it shows no secret."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.submission import (
    PreparedSubmission,
    compose_plaintexts,
    next_sequence,
    prepare_submission,
)
from mpc_engine.testing.randomness import SeededRandomness, seeded_randomness

RNG = seeded_randomness(7)
LAYOUT = EnvelopeLayout(bytes(16), bytes(32), (3, 3), Role.REGULATOR, False, ((-5, 5), (0, 9)))
BY_FILE = replace(LAYOUT, data_by_file=True)
OWNER = P256SigningKey.generate(RNG)
KEYS = {role: HpkePrivateKey.generate(RNG) for role in Role}
PARTY_KEYS = {role: (key.key_id, key.public_bytes) for role, key in KEYS.items()}


def prepare(layout: EnvelopeLayout = LAYOUT, **other: Any) -> PreparedSubmission:
    honest: dict[str, Any] = {
        "answers": [0, 1],
        "features": [5, 0],
        "label": 1,
        "record_id": bytes(16),
        "invitation_code": bytes(16),
        "sequence": 0,
        "owner_key": OWNER,
        "party_keys": PARTY_KEYS,
        "rng": RNG,
    }
    return prepare_submission(layout, **{**honest, **other})


@pytest.mark.parametrize(
    "other",
    [
        {"answers": [0]},
        {"answers": [0, 1, 0]},
        {"answers": [0, 3]},
        {"answers": [-1, 0]},
        {"features": None},
        {"features": [5]},
        {"features": [6, 0]},
        {"features": [-6, 0]},
        {"features": [0, 10]},
        {"label": 2},
        {"label": -1},
        {"record_id": bytes(15)},
        {"invitation_code": bytes(17)},
        {"sequence": -1},
        {"sequence": 1 << 32},
    ],
    ids=str,
)
def test_what_intake_would_refuse_is_not_sent(other: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        prepare(**other)


def test_data_are_not_taken_from_a_person_where_they_come_by_file() -> None:
    with pytest.raises(UsageError, match="by file"):
        prepare(BY_FILE)
    with pytest.raises(UsageError, match="by file"):
        prepare(BY_FILE, features=None)
    assert len(prepare(BY_FILE, features=None, label=None).signature) == 64


def test_lengths_say_nothing_about_the_answer() -> None:
    submissions = [
        prepare(answers=[first, second], label=label)
        for first in range(3)
        for second in range(3)
        for label in (0, 1, None)
    ]
    for role in Role:
        assert len({len(submission.envelopes[role]) for submission in submissions}) == 1


def test_the_regulators_share_is_the_mask_itself_and_uniform() -> None:
    """Each low bit a party sees is a coin, whatever the answer (1200 draws, 6 sigma)."""
    counts = {role: np.zeros(6) for role in Role}
    start = LAYOUT.common_bytes + 32
    for _ in range(1200):
        plaintexts = compose_plaintexts(
            LAYOUT,
            [2, 0],
            features=[0, 0],
            label=None,
            record_id=bytes(16),
            submission_id=bytes(16),
            invitation_code=bytes(16),
            sequence=0,
            owner_public_key=OWNER.public_bytes,
            rng=RNG,
        )
        for role in Role:
            share = plaintexts.shares[role]
            counts[role] += [share[start + 56 * entry] & 1 for entry in range(6)]
    for role in Role:
        assert np.all(abs(counts[role] - 600) < 6 * np.sqrt(300))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("study_id", bytes(15)),
        ("config_digest", bytes(31)),
        ("category_counts", ()),
        ("category_counts", (1,)),
        ("category_counts", (200, 57)),
        ("feature_ranges", ((1, 0),)),
        ("feature_ranges", ((0, 1 << 31),)),
        ("feature_ranges", ((-(1 << 31) - 1, 0),)),
    ],
)
def test_a_layout_that_fits_no_envelope_is_refused(field: str, value: Any) -> None:
    fields: dict[str, Any] = {
        "study_id": bytes(16),
        "config_digest": bytes(32),
        "category_counts": (2,),
        "data_holder": Role.REGULATOR,
        "data_by_file": False,
        "feature_ranges": (),
    }
    with pytest.raises(UsageError):
        EnvelopeLayout(**{**fields, field: value})


def test_one_number_tells_little_of_how_often_it_was_replaced() -> None:
    """Seeded draws; of 2000 first numbers two are expected below 2^21, where a leap leads."""
    draw = seeded_randomness(34)
    first = [next_sequence(None, draw) for _ in range(2000)]
    later = [next_sequence(one, draw) for one in first]
    leaps = [after - before for before, after in zip(first, later, strict=True)]
    assert 1 <= min(leaps) < 1 << 12
    assert (1 << 21) - (1 << 12) < max(leaps) <= 1 << 21
    assert max(first) < 1 << 31
    for numbers in (first, later):
        assert sum(one < 1 << 30 for one in numbers) == pytest.approx(1000, abs=120)
        assert sum(one < 1 << 21 for one in numbers) < 12


def test_a_thousand_replacements_have_a_number_and_the_end_is_told() -> None:
    class Most(SeededRandomness):
        def bytes(self, n: int) -> bytes:
            return b"\xff" * n

    most = Most(0)
    number = next_sequence(None, most)
    for _ in range(1024):
        number = next_sequence(number, most)
    assert number == (1 << 32) - 1
    assert prepare(sequence=number).sequence == number
    with pytest.raises(UsageError) as caught:
        next_sequence(number, RNG)
    assert caught.value.code == "NUMBERS_USED_UP"
