"""Revocations and lists of them, as the regulator's party signs both."""

from __future__ import annotations

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_client import unusable_input
from mpc_engine.control.files.revocation import (
    REVOCATION_LABEL,
    RevocationList,
    revocation_file,
    revocation_list_file,
    verify_revocation,
    verify_revocation_list,
)

__all__ = ["RevocationList", "signed_label"]


def check_statement(text: str, signature: str, regulator_key: bytes) -> None:
    """Return if the regulator's party signed a revocation; Unusable otherwise."""
    with unusable_input():
        verify_revocation(text, bytes.fromhex(signature), regulator_key)


def statement_as_file(text: str, signature: str) -> str:
    """Return the file that anyone can check offline."""
    return revocation_file(text, bytes.fromhex(signature))


def check_list(text: str, signature: str) -> RevocationList:
    """Return a list that the regulator's party signed with its published key; else Unusable."""
    key = engine_client.party(Role.REGULATOR).signing_key
    with unusable_input():
        return verify_revocation_list(text, bytes.fromhex(signature), key)


def list_as_file(text: str, signature: str) -> str:
    """Return a list as the file that anyone can check offline."""
    return revocation_list_file(text, bytes.fromhex(signature))


def signed_label() -> str:
    """Return what stands before the text, and before a zero byte, in the bytes that are signed."""
    return REVOCATION_LABEL.decode("ascii")
