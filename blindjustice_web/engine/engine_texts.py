"""Texts of a study that members sign beside its jobs, and its configuration as parties hold it.

Also the rule for names in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine.engine_client import (
    find_parties,
    party,
    read_configuration,
    unusable_input,
)
from blindjustice_web.lib.problems import FieldFault, Outdated, Unusable
from mpc_engine.control.files.certificate import parse_certificate
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.control.post.party_limits import check_limits
from mpc_engine.control.post.signing_sentences import Standing, configuration_rows, job_rows
from mpc_engine.control.studies.configuration import (
    Configuration,
    check_draft,
    draft_faults,
    parse_configuration,
)
from mpc_engine.control.studies.constraint_words import constraint_sentence
from mpc_engine.control.studies.study_texts import (
    Invitations,
    Revocation,
    parse_deployment,
    parse_invitations,
    parse_revocation,
)
from mpc_engine.control.texts.names import isolated, likeness, text_fault
from mpc_engine.errors import EngineError

__all__ = [
    "Standing",
    "check_study_draft",
    "configuration_rows",
    "constraint_sentence",
    "held_configuration",
    "is_configuration_readable",
    "is_readable",
    "isolated",
    "job_rows_to_sign",
    "likeness",
    "not_readable",
    "read_deployment",
    "read_invitation_list",
    "read_revocation",
    "text_fault",
]


def job_rows_to_sign(
    spec: str,
    configuration: Configuration,
    models: Sequence[str],
    standing: Standing,
    translate: Callable[[str], str],
) -> list[tuple[str, str]]:
    """Return what signing a job means: labels and sentences."""
    return job_rows(parse_job(spec), configuration, models, standing, translate)


def held_configuration(text: str) -> Configuration:
    """Return a configuration that both parties hold; Unusable unless it names their keys."""
    with unusable_input():
        configuration = parse_configuration(text)
    stated = {Role.MODELER: configuration.modeler, Role.REGULATOR: configuration.regulator}
    if any(party(role).signing_key != stated[role].signing_key for role in Role):
        raise Unusable("CONFIGURATION_OTHER_SIGNING_KEY", _("It names other signing keys."))
    return configuration


def check_study_draft(draft: Mapping[str, Any]) -> None:
    """Return if a draft can become a configuration that both parties allow.

    Unusable lists every field at fault, or says which limit is too low.
    """
    with unusable_input():
        found = draft_faults(draft)
    if found:
        faults = [
            FieldFault(fault.where.removeprefix("configuration."), fault.sentence)
            for fault in found
        ]
        raise Unusable(found[0].code, found[0].sentence, faults=faults)
    with unusable_input():
        check_limits(check_draft(draft), find_parties().values())


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


def not_readable(error: Exception) -> Outdated | None:
    """Return the problem of a stored text that the engine does not read; None for other errors.

    What people send is read under `unusable_input`, so an engine's error that gets as far as a page
    is about a text of the site's own.
    """
    return Outdated() if isinstance(error, EngineError) else None


def is_readable(certificate: str, configuration: str) -> bool:
    """Return whether this version reads a certificate and its configuration, genuine or not."""
    try:
        parse_certificate(certificate)
    except EngineError:
        return False
    return is_configuration_readable(configuration)


def is_configuration_readable(text: str) -> bool:
    """Return whether this version reads a stored configuration."""
    try:
        read_configuration(text)
    except EngineError:
        return False
    return True
