from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mpc_engine.control.files.certificate import parse_certificate
from mpc_engine.control.files.revocation import (
    MAX_LIST_BYTES,
    MAX_LISTED,
    MAX_REVOCATION_BYTES,
    ListedRevocation,
    RevocationList,
    check_revocation_file,
    check_revocation_list_file,
    parse_revocation_list,
    revocation_file,
    revocation_list_file,
    revocation_list_text,
    sign_revocation,
    sign_revocation_list,
    verify_revocation,
)
from mpc_engine.control.post.exchanges.about_certificates import RevocationListed
from mpc_engine.control.post.messages import MAX_MESSAGE_BYTES, message_body
from mpc_engine.control.studies.study_texts import MAX_REASON, Revocation, revocation_text
from mpc_engine.control.texts.canonical import parse_canonical
from mpc_engine.errors import CheckFailedError, EngineError, InvalidSignatureError, UsageError
from mpc_engine.roles import Role
from tests.engine.hostile.specimens import CERTIFICATE, DIGEST, ID, M, R

NOW = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
TEXT = revocation_text(Revocation(ID, "The sample was wrong.", NOW))
OTHER = revocation_text(Revocation(b"o" * 16, "The sample was wrong.", NOW))
LIST = RevocationList(
    7, NOW, NOW + timedelta(days=2), R.public_bytes, {ID: ListedRevocation(ID, DIGEST, NOW)}
)
CHECKED = parse_certificate(CERTIFICATE)


def _file(text: str = TEXT) -> bytes:
    return revocation_file(text, sign_revocation(text, R)).encode()


def _list_file(revocations: RevocationList = LIST) -> bytes:
    text = revocation_list_text(revocations)
    return revocation_list_file(text, sign_revocation_list(text, R)).encode()


def test_a_revocation_file_says_what_was_signed_about_this_certificate() -> None:
    revocation = check_revocation_file(_file() + b"\n", CHECKED)
    assert revocation == Revocation(ID, "The sample was wrong.", NOW)


def test_a_revocation_of_another_certificate_is_no_revocation_of_this_one() -> None:
    with pytest.raises(UsageError) as refused:
        check_revocation_file(_file(OTHER), CHECKED)
    assert refused.value.code == "REVOCATION_OTHER_CERTIFICATE"


@pytest.mark.parametrize(
    "signature",
    [
        sign_revocation(TEXT, M),
        sign_revocation(OTHER, R),
        sign_revocation_list(TEXT, R),
        R.sign(b"blindjustice/v1/certificate\0" + TEXT.encode()),
        R.sign(TEXT.encode()),
        bytes(64),
    ],
)
def test_only_the_regulators_zone_signs_revocations_and_under_their_label(
    signature: bytes,
) -> None:
    with pytest.raises(InvalidSignatureError) as refused:
        verify_revocation(TEXT, signature, R.public_bytes)
    assert refused.value.code == "REVOCATION_SIGNATURE_INVALID"


def test_the_longest_reason_fits() -> None:
    text = revocation_text(Revocation(ID, "\U0001f4a5" * MAX_REASON, NOW))
    assert len(text.encode()) <= MAX_REVOCATION_BYTES
    assert check_revocation_file(_file(text), CHECKED).reason.startswith("\U0001f4a5")


def test_a_list_says_what_is_revoked_until_the_next_one_is_due() -> None:
    found = check_revocation_list_file(_list_file(), R.public_bytes, at=NOW)
    assert found == LIST
    assert (
        check_revocation_list_file(
            _list_file(replace(LIST, revoked={})), R.public_bytes, at=NOW
        ).revoked
        == {}
    )
    with pytest.raises(CheckFailedError) as refused:
        check_revocation_list_file(_list_file(), R.public_bytes, at=LIST.next_update)
    assert refused.value.code == "REVOCATION_LIST_OUTDATED"


def test_a_list_of_the_future_is_refused() -> None:
    early = NOW - timedelta(minutes=10)
    assert check_revocation_list_file(_list_file(), R.public_bytes, at=early) == LIST
    with pytest.raises(CheckFailedError) as refused:
        check_revocation_list_file(_list_file(), R.public_bytes, at=early - timedelta(seconds=1))
    assert refused.value.code == "REVOCATION_LIST_EARLY"


def test_a_list_of_another_zone_or_signed_otherwise_is_refused() -> None:
    text = revocation_list_text(LIST)
    for data, key in (
        (_list_file(), M.public_bytes),
        (revocation_list_file(text, sign_revocation(text, R)).encode(), R.public_bytes),
        (revocation_list_file(text, sign_revocation_list(text, M)).encode(), R.public_bytes),
        (_list_file(replace(LIST, regulator_key=M.public_bytes)), R.public_bytes),
    ):
        with pytest.raises(InvalidSignatureError) as refused:
            check_revocation_list_file(data, key, at=NOW)
        assert refused.value.code == "REVOCATION_LIST_SIGNATURE_INVALID"


@pytest.mark.parametrize(
    "text",
    [
        revocation_list_text(replace(LIST, number=0)),
        revocation_list_text(replace(LIST, next_update=NOW)),
        revocation_list_text(LIST).replace('"revoked":[', '"revoked":[{},'),
        revocation_list_text(
            replace(LIST, revoked={ID: LIST.revoked[ID], b"z" * 16: LIST.revoked[ID]})
        ),
        "[]",
        "",
        "\ud800",
    ],
)
def test_a_list_that_contradicts_itself_is_refused(text: str) -> None:
    with pytest.raises(EngineError):
        parse_revocation_list(text)


def test_the_longest_list_fits_into_a_message_and_a_file() -> None:
    ids = [number.to_bytes(16, "big") for number in range(MAX_LISTED)]
    longest = replace(LIST, revoked={one: ListedRevocation(one, DIGEST, NOW) for one in ids})
    text = revocation_list_text(longest)
    assert len(text) <= MAX_LIST_BYTES
    body = message_body(
        Role.REGULATOR,
        RevocationListed(text=text, list_signature=bytes(64)),
        message_id=ID,
        sent_at=NOW,
    )
    assert parse_canonical(body, limit=MAX_MESSAGE_BYTES)
    assert check_revocation_list_file(_list_file(longest), R.public_bytes, at=NOW) == longest
