"""Invitation codes, their credentials and links."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import credential, invitation_path, parse_invitation
from tests.engine.sharing.listed import read_vectors

FILE = read_vectors("invitations")
CASES = pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["record_id"])


@CASES
def test_credentials_and_link_equal_the_vector(case: dict[str, Any]) -> None:
    record_id, code = bytes.fromhex(case["record_id"]), bytes.fromhex(case["code"])
    path = invitation_path(bytes.fromhex(FILE["study_id"]), record_id, code)
    assert path == case["path"]
    assert parse_invitation(path.partition("#")[2]) == (record_id, code)
    assert parse_invitation("#" + path.partition("#")[2]) == (record_id, code)
    for role in Role:
        assert credential(code, role).hex() == case["credentials"][role.value]


@pytest.mark.parametrize("fragment", FILE["refused_fragments"])
def test_a_link_that_is_not_whole_is_refused(fragment: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_invitation(fragment)
    assert refused.value.code == "INVITATION_INCOMPLETE"


def test_a_code_of_another_length_is_refused() -> None:
    for code in (b"", bytes(15), bytes(17)):
        with pytest.raises(UsageError):
            credential(code, Role.MODELER)
