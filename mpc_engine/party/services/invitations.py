"""Taking over who is invited: a credential for each record, signed by the inviter's approver."""

from __future__ import annotations

from mpc_engine.control.post.exchanges.about_people import AddInvitations, InvitationsAccepted
from mpc_engine.control.studies.study_texts import parse_invitations
from mpc_engine.control.texts.approvals import require_approvals
from mpc_engine.errors import UsageError
from mpc_engine.party.studies.known_study import StudyState, get_study, load_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party


@carries_out(AddInvitations)
def add_invitations(party: Party, order: AddInvitations) -> None:
    """Add a signed list to the credentials of a study; lists only ever grow.

    Codes besides those of approvals and lists: ``STUDY_UNKNOWN``, ``STUDY_CLOSED``,
    ``INVITATIONS_OTHER_STUDY``, ``INVITATION_CHANGED``,
    ``INVITATION_NOT_COMMITTED``.
    """
    study = load_study(party, order.study_id)
    inviter = study.configuration.inviter
    invitations = parse_invitations(order.text)
    require_approvals(
        "invitations", order.text, [order.approval], party.trusted_approvers(), [inviter]
    )
    if (invitations.study_id, invitations.configuration, invitations.role) != (
        order.study_id,
        study.configuration.digest,
        party.role,
    ):
        raise UsageError(
            "The list of invitations is for another study, configuration or party.",
            code="INVITATIONS_OTHER_STUDY",
        )
    commitment = study.configuration.data_commitment
    if (
        commitment is not None
        and not invitations.credentials.keys() <= commitment.positions().keys()
    ):
        raise UsageError(
            "The list invites a record that belongs to no committed row.",
            code="INVITATION_NOT_COMMITTED",
        )
    with party.database.transaction() as connection:
        if get_study(connection, order.study_id).state is not StudyState.OPEN:
            raise UsageError("The study is closed; nobody can be invited.", code="STUDY_CLOSED")
        known = dict(
            connection.execute(
                "SELECT record_id, credential FROM credentials WHERE study_id = ?",
                (order.study_id,),
            )
        )
        for record_id, credential in invitations.credentials.items():
            if known.get(record_id, credential) != credential:
                raise UsageError(
                    f"Record {record_id.hex()} was invited before with another code.",
                    code="INVITATION_CHANGED",
                )
        connection.executemany(
            "INSERT OR IGNORE INTO credentials (study_id, record_id, credential) VALUES (?, ?, ?)",
            [(order.study_id, *item) for item in invitations.credentials.items()],
        )
        accepted = InvitationsAccepted(study_id=order.study_id, count=len(invitations.credentials))
        party.outbox.add(connection, accepted)
    party.outbox.flush()
