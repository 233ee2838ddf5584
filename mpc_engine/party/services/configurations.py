"""Taking over a configuration: approved by both, naming this party's own keys.

It is never changed once anything rests on it. Before that another one that both approved takes its
place: where the other party refused the first, both organisations propose the study anew.
"""

from __future__ import annotations

import sqlite3

from mpc_engine.control.post.exchanges.about_studies import (
    AcceptConfiguration,
    ConfigurationAccepted,
)
from mpc_engine.control.post.party_limits import check_limits
from mpc_engine.control.studies.configuration import Configuration, parse_configuration
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.errors import UsageError
from mpc_engine.party.services.committed_data import committed_rows
from mpc_engine.party.studies.known_study import Study, StudyState, current_key_id, find_study
from mpc_engine.party.studies.protocol_terms import check_widths
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role

_RESTS_ON_CONFIGURATION = ("credentials", "shares", "data_rows", "uploads", "models", "attempts")


@carries_out(AcceptConfiguration)
def accept_configuration(party: Party, order: AcceptConfiguration) -> None:
    """Accept a configuration that approvers of both parties signed; one that is held is told again.

    Codes besides those of approvals and configurations: ``CONFIGURATION_OTHER_STUDY``,
    ``CONFIGURATION_OTHER_SIGNING_KEY``, ``CONFIGURATION_OTHER_STUDY_KEY``, ``CONFIGURATION_FIXED``,
    ``SUM_TOO_WIDE``, those of `check_limits`, and those of `committed_rows` where the
    modeler's party has no such data.
    """
    configuration = parse_configuration(order.text)
    if configuration.study_id != order.study_id:
        raise UsageError(
            "The configuration belongs to another study.", code="CONFIGURATION_OTHER_STUDY"
        )
    if not _tell_held(party, order, configuration):
        _check_new(party, order, configuration)
        with party.database.transaction() as connection:
            _store(party, connection, configuration)
            _tell(party, connection, order, configuration)
    party.outbox.flush()


def _tell_held(party: Party, order: AcceptConfiguration, configuration: Configuration) -> bool:
    """Tell that this very text was accepted before, whatever has changed since; False if not."""
    with party.database.transaction() as connection:
        known = find_study(connection, order.study_id)
        is_held = known is not None and known.configuration.text == configuration.text
        if is_held:
            _tell(party, connection, order, configuration)
    return is_held


def _check_new(party: Party, order: AcceptConfiguration, configuration: Configuration) -> None:
    require_approvals("configuration", order.text, order.approvals, party.trusted_approvers())
    _check_signing_keys(party, configuration)
    check_widths(configuration)
    check_limits(configuration, (party.descriptor(), party.peer()))
    if configuration.data_commitment is not None and party.role is Role.MODELER:
        committed_rows(party, configuration)


def _store(party: Party, connection: sqlite3.Connection, configuration: Configuration) -> None:
    known = find_study(connection, configuration.study_id)
    if known is not None and _is_used(connection, known):
        raise UsageError(
            "The study has another configuration already; it cannot be changed.",
            code="CONFIGURATION_FIXED",
        )
    _check_study_key(party, connection, configuration)
    connection.execute(
        "INSERT OR REPLACE INTO studies (study_id, configuration, state) VALUES (?, ?, 'OPEN')",
        (configuration.study_id, configuration.text),
    )


def _tell(
    party: Party,
    connection: sqlite3.Connection,
    order: AcceptConfiguration,
    configuration: Configuration,
) -> None:
    accepted = ConfigurationAccepted(
        study_id=order.study_id,
        attempt_id=order.attempt_id,
        configuration=configuration.digest,
    )
    party.outbox.add(connection, accepted)


def _is_used(connection: sqlite3.Connection, study: Study) -> bool:
    """Return whether anything rests on a study's configuration: an invitation, a file, a run."""
    study_id = study.configuration.study_id
    used = (
        connection.execute(f"SELECT 1 FROM {table} WHERE study_id = ? LIMIT 1", (study_id,))
        for table in _RESTS_ON_CONFIGURATION
    )
    return study.state is not StudyState.OPEN or any(rows.fetchone() for rows in used)


def _check_study_key(
    party: Party, connection: sqlite3.Connection, configuration: Configuration
) -> None:
    study_id, own = configuration.study_id, configuration.party(party.role)
    if current_key_id(connection, study_id) != own.key_id or (
        party.keys.study_key(study_id, own.key_id).public_bytes != own.hpke_key
    ):
        raise UsageError(
            "The configuration names an HPKE key that this party did not make for it.",
            code="CONFIGURATION_OTHER_STUDY_KEY",
        )


def _check_signing_keys(party: Party, configuration: Configuration) -> None:
    expected = {
        party.role: party.keys.signing.public_bytes,
        party.role.peer: party.peer().signing_key,
    }
    for role in Role:
        if configuration.party(role).signing_key != expected[role]:
            raise UsageError(
                f"The configuration names a signing key that is not the {role.value}'s.",
                code="CONFIGURATION_OTHER_SIGNING_KEY",
            )
