"""Intake: a damaged submission is refused with an intake code, by whomever it was damaged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.errors import IntakeError
from mpc_engine.roles import Role
from mpc_engine.sharing.common_block import submission_message
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.held_share import HeldShare
from mpc_engine.sharing.intake import open_submission
from mpc_engine.sharing.intake_refusals import IntakeRefusal
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.sealed import (
    Purpose,
    SealContext,
    encapsulation_digest,
    open_envelope,
    open_sealed,
    seal,
    seal_envelope,
)
from mpc_engine.sharing.submission import PreparedSubmission, prepare_submission
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.hostile.mutations import damaged, fuzzing, read_or_refuse

_RNG = seeded_randomness(21)
_LAYOUT = EnvelopeLayout(bytes(16), bytes(32), (3, 2), Role.REGULATOR, False, ((-5, 5), (0, 9)))
_OWNER = P256SigningKey.generate(_RNG)
_KEYS = {role: HpkePrivateKey.generate(_RNG) for role in Role}
_CODE = b"c" * 16
_CODES = {reason.value for reason in IntakeRefusal}


def _prepare(record: int, sequence: int) -> PreparedSubmission:
    return prepare_submission(
        _LAYOUT,
        (1, 0),
        features=(2, 3),
        label=1,
        record_id=bytes([record]) * 16,
        invitation_code=_CODE,
        sequence=sequence,
        owner_key=_OWNER,
        party_keys={role: (key.key_id, key.public_bytes) for role, key in _KEYS.items()},
        rng=_RNG,
    )


_VALID = _prepare(1, 0)
_LATER = _prepare(1, 1)
_OTHER = _prepare(2, 0)
_EVERY_ENVELOPE = [e for one in (_LATER, _OTHER, _VALID) for e in one.envelopes.values()]


def _delivery(role: Role) -> dict[str, Any]:
    return {
        "envelope": _VALID.envelopes[role],
        "other_envelope_digest": sha256(_VALID.envelopes[role.peer]),
        "owner_public_key": _VALID.owner_public_key,
        "signature": _VALID.signature,
        "record_id": _VALID.record_id,
        "submission_id": _VALID.submission_id,
        "sequence": _VALID.sequence,
        "hpke_private_key": _KEYS[role],
        "key_id": _KEYS[role].key_id,
        "credential": credential(_CODE, role),
    }


def _context(role: Role) -> SealContext:
    return SealContext(
        Purpose.SUBMISSION,
        role,
        _LAYOUT.study_id,
        _LAYOUT.config_digest,
        _KEYS[role].key_id,
        _VALID.record_id,
        _VALID.submission_id,
        _VALID.sequence,
    )


def _deliver(role: Role, delivery: dict[str, Any]) -> HeldShare | None:
    try:
        return open_submission(_LAYOUT, role, **delivery)
    except IntakeError as refused:
        code = refused.code
    assert code in _CODES
    return None


@pytest.mark.parametrize("role", Role)
def test_the_undamaged_submission_is_accepted(role: Role) -> None:
    assert _deliver(role, _delivery(role)) is not None


@pytest.mark.parametrize("role", Role)
def test_an_envelope_damaged_on_its_way_is_refused(role: Role) -> None:
    valid = _VALID.envelopes[role]

    @fuzzing(120)
    @given(damaged(valid, _EVERY_ENVELOPE))
    def check(envelope: bytes) -> None:
        share = _deliver(role, {**_delivery(role), "envelope": envelope})
        assert (share is not None) == (envelope == valid)

    check()


@pytest.mark.parametrize("role", Role)
def test_a_damaged_cover_is_refused(role: Role) -> None:
    delivery = _delivery(role)
    fields = sorted(name for name, value in delivery.items() if isinstance(value, bytes))
    replays = [_OTHER.record_id, _OTHER.submission_id, _OTHER.signature, _LATER.signature]

    @fuzzing(100)
    @given(st.sampled_from(fields).flatmap(lambda f: st.tuples(st.just(f), _damage(f))))
    def check(change: tuple[str, bytes]) -> None:
        name, value = change
        share = _deliver(role, {**delivery, name: value})
        assert (share is not None) == (value == delivery[name])

    def _damage(field: str) -> st.SearchStrategy[bytes]:
        return damaged(delivery[field], replays)

    check()


@pytest.mark.parametrize("role", Role)
def test_a_plaintext_damaged_by_its_sender_is_read_or_refused(role: Role) -> None:
    plaintext = open_envelope(_context(role), _KEYS[role], _VALID.envelopes[role])

    @fuzzing(120)
    @given(damaged(plaintext))
    def check(data: bytes) -> None:
        sized = (data + bytes(len(plaintext)))[: len(plaintext)]
        envelope = seal_envelope(_context(role), _KEYS[role].public_bytes, sized)
        digests = [sha256(envelope), sha256(_VALID.envelopes[role.peer])]
        if role is Role.REGULATOR:
            digests.reverse()
        common = sha256(sized[: _LAYOUT.common_bytes])
        signature = _OWNER.sign(submission_message(common, *digests))
        share = _deliver(role, {**_delivery(role), "envelope": envelope, "signature": signature})
        if share is not None:
            assert HeldShare.from_bytes(share.to_bytes()).to_bytes() == share.to_bytes()

    check()


@fuzzing(120)
@given(data=st.data())
def test_a_damaged_seal_is_refused(data: st.DataObject) -> None:
    key = _KEYS[Role.MODELER]

    def bound(purpose: Purpose) -> tuple[Purpose, Role, bytes, bytes, bytes]:
        return purpose, Role.MODELER, bytes(16), bytes(32), key.key_id

    sealed = {p: seal(*bound(p), key.public_bytes, bytes(16), b"text") for p in Purpose}
    purpose = data.draw(st.sampled_from(list(Purpose)))
    envelope = data.draw(damaged(sealed[purpose], list(sealed.values())))
    opened = read_or_refuse(
        lambda: open_sealed(*bound(purpose), key, bytes(16), envelope), IntakeError
    )
    assert opened == (b"text" if envelope == sealed[purpose] else None)
    digest = read_or_refuse(lambda: encapsulation_digest(envelope), IntakeError)
    assert digest is None or len(digest) == 32
