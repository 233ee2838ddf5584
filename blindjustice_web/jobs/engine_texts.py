"""Texts of a study that members sign beside its configuration and its jobs."""

from __future__ import annotations

from blindjustice_web.jobs.engine_client import unusable_input
from mpc_engine.control.study_texts import (
    Invitations,
    Revocation,
    parse_deployment,
    parse_invitations,
    parse_revocation,
)


def read_invitation_list(text: str) -> Invitations:
    """Return an invitation list; Unusable names the fault."""
    with unusable_input():
        return parse_invitations(text)


def read_deployment(text: str) -> tuple[str, str]:
    """Return study id and model id of a deployment text; Unusable names the fault."""
    with unusable_input():
        study_id, model_id, _when = parse_deployment(text)
    return study_id.hex(), model_id.hex()


def read_revocation(text: str) -> Revocation:
    """Return a revocation; Unusable names the fault."""
    with unusable_input():
        return parse_revocation(text)
