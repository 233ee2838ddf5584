"""What each party lets answers about one study's people tell, and studies that ask for more.

A study names one limit, which people read. It must be one that both parties keep, and must pay for
a question; so both are checked before anybody signs, and again by each party.
"""

from __future__ import annotations

from collections.abc import Iterable

from mpc_engine.control.files.descriptor import PartyDescriptor
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.training_terms import least_training_bits
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role

ABOVE_PARTY = "QUESTION_LIMIT_ABOVE_PARTY"
WHERE = "question_bits_limit"


def check_limits(configuration: Configuration, parties: Iterable[PartyDescriptor]) -> None:
    """Refuse a study that names more bits than a party allows, or too few for one question.

    A certification's charge is checked with the policy (`check_policy`), a training's here.
    Raises UsageError: ``QUESTION_LIMIT_ABOVE_PARTY``, ``TRAINING_ABOVE_QUESTION_LIMIT``.
    """
    check_party_limits(configuration.question_bits_limit, configuration.data_holder, parties)
    if configuration.data_holder is not Role.MODELER:
        return
    bits = least_training_bits(configuration)
    if bits > configuration.question_bits_limit:
        raise UsageError(
            f"One training of {len(configuration.features)} features opens {bits} bits or more; "
            f"the study's limit is {configuration.question_bits_limit}.",
            code="TRAINING_ABOVE_QUESTION_LIMIT",
            where=WHERE,
        )


def check_party_limits(
    question_bits_limit: int, data_holder: Role, parties: Iterable[PartyDescriptor]
) -> None:
    """Raise UsageError ``QUESTION_LIMIT_ABOVE_PARTY`` naming the first party that allows less."""
    for party in parties:
        own = party.bits_limit(data_holder)
        if question_bits_limit > own:
            raise UsageError(
                f"{party.name}'s party lets answers about one study's people tell {own:,} bits at "
                f"most; the study asks for {question_bits_limit:,}. Ask for {own:,} or fewer, or "
                f'let its operator raise "{limit_key(data_holder)}" in party.toml.',
                code=ABOVE_PARTY,
                where=WHERE,
            )


def limit_key(data_holder: Role) -> str:
    """Return the operator's setting that limits studies whose data this party holds."""
    return "training_bits_limit" if data_holder is Role.MODELER else "question_bits_limit"
