"""Challenged decisions at the regulator's party: checked, counted, and kept until answered."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mpc_engine.control.files.certificate import Certificate
from mpc_engine.control.files.decision_record import parse_decision_record
from mpc_engine.control.post.exchanges.about_challenges import (
    ChallengeAccepted,
    ChallengeSource,
    TakeChallenge,
)
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.study_texts import Challenge, check_features, parse_challenge
from mpc_engine.crypto.digests import sha256
from mpc_engine.errors import UsageError
from mpc_engine.party.services.certificates import get_certificate
from mpc_engine.party.studies.known_study import get_study, open_for_study
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party
from mpc_engine.sharing.sealed import Purpose
from mpc_engine.vocabulary.verdicts import VerificationResult

_PLACE = "challenge"
NOT_ANSWERED = VerificationResult.NOT_ANSWERED.value


@dataclass(frozen=True, repr=False)
class Case:
    """A challenge as verification needs it: encoded features and the claimed decision."""

    challenge_id: bytes
    x: tuple[int, ...]
    decision: int


@carries_out(TakeChallenge)
def take_challenge(party: Party, order: TakeChallenge) -> None:
    """Take a sealed challenge and say whether a signed record or a typed-in claim stands behind it.

    Codes besides those of seals and decision records: ``STUDY_UNKNOWN``, ``CERTIFICATE_UNKNOWN``,
    ``CHALLENGE_INVALID``, ``CHALLENGE_ID_TAKEN``,
    ``CHALLENGE_VALUE_OUT_OF_RANGE``, ``DECISION_RECORD_OTHER_CASE``,
    ``DECISION_ALREADY_CHALLENGED``, ``TYPED_CHALLENGE_LIMIT``.
    """
    with party.database.reading() as connection:
        configuration = get_study(connection, order.study_id).configuration
        certificate = get_certificate(connection, order.study_id, order.certificate_id)
        known_source = _known_source(connection, order)
    if known_source is not None:
        party.outbox.tell(_accepted(order, known_source))
        return
    plaintext = open_for_study(
        party, configuration, Purpose.CHALLENGE, order.challenge_id, order.envelope
    )
    challenge = parse_challenge(plaintext)
    record_digest = _check_challenge(challenge, order, configuration, certificate)
    source = ChallengeSource.TYPED if record_digest is None else ChallengeSource.RECORD
    sealed = party.cipher.seal(
        _PLACE,
        (order.study_id, order.challenge_id),
        json.dumps([list(challenge.x), challenge.decision]).encode("ascii"),
    )
    with party.database.transaction() as connection:
        _check_limits(connection, order.certificate_id, record_digest, configuration)
        connection.execute(
            "INSERT INTO challenges (challenge_id, study_id, certificate_id, source,"
            " record_digest,"
            " envelope_digest, sealed) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                order.challenge_id,
                order.study_id,
                order.certificate_id,
                source,
                record_digest,
                sha256(order.envelope),
                sealed,
            ),
        )
        party.outbox.add(connection, _accepted(order, source))
    party.outbox.flush()


def open_cases(
    party: Party,
    connection: sqlite3.Connection,
    study_id: bytes,
    certificate_id: bytes,
    challenge_ids: Sequence[bytes],
) -> list[Case]:
    """Return the challenges of a batch, in order.

    UsageError: ``CHALLENGE_UNKNOWN``, or ``CHALLENGE_ANSWERED`` for one that has its answer.
    """
    cases = []
    for challenge_id in challenge_ids:
        row = connection.execute(
            "SELECT sealed, outcome FROM challenges"
            " WHERE challenge_id = ? AND study_id = ? AND certificate_id = ?",
            (challenge_id, study_id, certificate_id),
        ).fetchone()
        if row is None:
            raise UsageError("The party has no such challenge.", code="CHALLENGE_UNKNOWN")
        if row["outcome"] not in (None, NOT_ANSWERED):
            raise UsageError("A challenge was answered before.", code="CHALLENGE_ANSWERED")
        x, decision = json.loads(party.cipher.open(_PLACE, (study_id, challenge_id), row["sealed"]))
        cases.append(Case(challenge_id, tuple(x), decision))
    return cases


def record_outcomes(connection: sqlite3.Connection, outcomes: Mapping[bytes, str]) -> None:
    """Store the outcome of each challenge of a batch."""
    connection.executemany(
        "UPDATE challenges SET outcome = ? WHERE challenge_id = ?",
        [(outcome, challenge_id) for challenge_id, outcome in outcomes.items()],
    )


def _check_challenge(
    challenge: Challenge,
    order: TakeChallenge,
    configuration: Configuration,
    certificate: Certificate,
) -> bytes | None:
    """Return what tells the signed record behind a challenge from others, None if there is none.

    It is a digest of the signature, which says nothing to one who cannot sign.
    """
    if (challenge.challenge_id, challenge.certificate_id) != (
        order.challenge_id,
        order.certificate_id,
    ):
        raise UsageError("The challenge belongs to another case.", code="CHALLENGE_INVALID")
    check_features(challenge.x, configuration, "The case", "CHALLENGE_VALUE_OUT_OF_RANGE")
    if not challenge.record:
        return None
    record = parse_decision_record(challenge.record, configuration.modeler.signing_key)
    found = (record.certificate_id, record.configuration, record.x, record.decision)
    wanted = (
        certificate.certificate_id,
        configuration.digest,
        challenge.x,
        challenge.decision,
    )
    names = ("certificate", "configuration", "features", "decision")
    for name, left, right in zip(names, found, wanted, strict=True):
        if left != right:
            raise UsageError(
                f"The {name} in the decision record differs from the challenge.",
                code="DECISION_RECORD_OTHER_CASE",
            )
    return sha256(record.signature)


def _check_limits(
    connection: sqlite3.Connection,
    certificate_id: bytes,
    record_digest: bytes | None,
    configuration: Configuration,
) -> None:
    if record_digest is not None:
        repeated = connection.execute(
            "SELECT 1 FROM challenges WHERE certificate_id = ? AND record_digest = ?",
            (certificate_id, record_digest),
        ).fetchone()
        if repeated is not None:
            raise UsageError(
                "This decision was challenged before; see that challenge's answer.",
                code="DECISION_ALREADY_CHALLENGED",
            )
        return
    (n_typed,) = connection.execute(
        "SELECT COUNT(*) FROM challenges WHERE certificate_id = ? AND source = 'typed'",
        (certificate_id,),
    ).fetchone()
    if n_typed >= configuration.typed_challenge_limit:
        raise UsageError(
            "No more challenges without a signed decision record are taken for this certificate.",
            code="TYPED_CHALLENGE_LIMIT",
        )


def _known_source(connection: sqlite3.Connection, order: TakeChallenge) -> ChallengeSource | None:
    """Return the source of exactly this challenge if it was taken before."""
    row = connection.execute(
        "SELECT source, envelope_digest FROM challenges WHERE challenge_id = ?",
        (order.challenge_id,),
    ).fetchone()
    if row is None:
        return None
    if row["envelope_digest"] != sha256(order.envelope):
        raise UsageError("Another challenge has this number already.", code="CHALLENGE_ID_TAKEN")
    return ChallengeSource(row["source"])


def _accepted(order: TakeChallenge, source: ChallengeSource) -> ChallengeAccepted:
    return ChallengeAccepted(
        challenge_id=order.challenge_id, certificate_id=order.certificate_id, source=source
    )
