"""A rehearsal: a party plays a tiny study with itself, through everything that real jobs use.

It compiles the kernels before the first real job, and it is the heart of the self-test: sealing,
intake, the TLS line, closing, certification, and verification without and with prepared material.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from mpc_engine.control.policies.policy import MIN_DECIDED, MIN_GROUP
from mpc_engine.control.studies.configuration import Configuration, StudyParty, complete_draft
from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.signatures import P256SigningKey, verify_ed25519
from mpc_engine.errors import CheckFailedError, EngineError
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.studies.known_study import envelope_layout
from mpc_engine.party.studies.protocol_terms import certification_spec, verification_spec
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.certification.spec import CertificationOutcome
from mpc_engine.protocols.closing.protocol import ClosingOutcome
from mpc_engine.protocols.closing.record_list import ListedShare
from mpc_engine.protocols.keeping import ClosingTerms, EndTerms, Signatures
from mpc_engine.protocols.model_encoding import NONCE_BYTES
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.verification.preparation import (
    prepare_as_modeler,
    prepare_as_regulator,
)
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import CODE_BYTES, credential
from mpc_engine.sharing.intake import open_submission
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.sharing.submission import prepare_submission
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.tls import TLSListener, connect
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import (
    Comparison,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
)
from mpc_engine.vocabulary.verdicts import Verdict, VerificationResult

_LINE_LIMIT_S = 30.0
_RUN_LIMIT_S = 300.0
_N_PEOPLE = 4 * MIN_DECIDED
_MODEL = [-(1 << 15), 1 << 16]
"""It decides 1 from a half on: for half of each group, as few people as a verdict rests on."""

_CASES = [([256], 1), ([0], 1)]
"""Cases with the decision that is claimed: the second claim is wrong."""

_DRAFT: dict[str, object] = {
    "title": "Rehearsal",
    "purpose": "A party tries itself",
    "retention_days": 1,
    "certificate_days": 1,
    "features": [{"name": "x", "title": "x", "unit": "1", "minimum": "0", "maximum": "10"}],
    "x_frac_bits": 8,
    "theta_bits": 24,
    "theta_frac_bits": 16,
    "label": {"name": "y", "title": "y", "favourable": "yes", "unfavourable": "no"},
    "attributes": [
        {
            "name": "group",
            "title": "Group",
            "question": "Which group?",
            "categories": [{"name": "a", "title": "A"}, {"name": "b", "title": "B"}],
        }
    ],
    "data_holder": "regulator",
    "data_source": "person",
    "inviter": "modeler",
    "policy": {
        "kind": StudyKind.VERDICT,
        "questions": 1,
        "criteria": [{"criterion": CriterionName.P_RULE, "thresholds": ["80"], "certify_at": "80"}],
        "comparison": Comparison.EACH_PAIR,
        "groups": [["group"]],
        "minimum_group": MIN_GROUP,
        "minimum_decided": MIN_DECIDED,
        "minimum_percent": "0",
        "minimum_answers": 1,
        "small_groups": SmallGroups.UNDETERMINED,
        "missing_answers": MissingAnswers.LEFT_OUT,
        "disclosure": Disclosure.VERDICT,
    },
    "typed_challenge_limit": 1,
    "question_bits_limit": 64,
}

Result = TypeVar("Result")


def rehearse(party: Party) -> None:
    """Play closing, certification and verification over a TLS line of the party to itself.

    Raises CheckFailedError (``REHEARSAL_FAILED``) if an outcome is wrong, or whatever fails.
    """
    rng = party.rng
    keys = {role: HpkePrivateKey.generate(rng) for role in Role}
    configuration = _configuration(party, keys)
    held = _people(configuration, keys, rng)
    modeler, regulator = _play(
        party,
        lambda ctx: _modeler_side(ctx, configuration, held[Role.MODELER]),
        lambda ctx: _regulator_side(ctx, configuration, held[Role.REGULATOR]),
    )
    if not modeler or not regulator:
        raise CheckFailedError("The rehearsal had a wrong outcome.", code="REHEARSAL_FAILED")


def _configuration(party: Party, keys: dict[Role, HpkePrivateKey]) -> Configuration:
    parties = {
        role: StudyParty(role.value, key.key_id, key.public_bytes, party.keys.signing.public_bytes)
        for role, key in keys.items()
    }
    return complete_draft(
        _DRAFT,  # type: ignore[arg-type]
        study_id=party.rng.bytes(16),
        modeler=parties[Role.MODELER],
        regulator=parties[Role.REGULATOR],
    )


def _people(
    configuration: Configuration, keys: dict[Role, HpkePrivateKey], rng: Randomness
) -> dict[Role, list[ListedShare]]:
    """Let people answer and both parties take their shares in."""
    layout = envelope_layout(configuration)
    held: dict[Role, list[ListedShare]] = {role: [] for role in Role}
    for number in range(_N_PEOPLE):
        code = rng.bytes(CODE_BYTES)
        sent = prepare_submission(
            layout,
            [number % 2],
            features=[256 * (number >= _N_PEOPLE // 2)],
            label=None,
            record_id=rng.bytes(16),
            invitation_code=code,
            sequence=0,
            owner_key=P256SigningKey.generate(rng),
            party_keys={role: (key.key_id, key.public_bytes) for role, key in keys.items()},
            rng=rng,
        )
        for role, key in keys.items():
            share = open_submission(
                layout,
                role,
                sent.envelopes[role],
                sha256(sent.envelopes[role.peer]),
                sent.owner_public_key,
                sent.signature,
                sent.record_id,
                sent.submission_id,
                sent.sequence,
                key,
                key.key_id,
                credential(code, role),
            )
            held[role].append(
                ListedShare(share.record_id, share.sequence, share.common_digest, share)
            )
    return held


def _close(
    ctx: JobContext, configuration: Configuration, held: list[ListedShare]
) -> ClosingOutcome:
    terms = ClosingTerms(ctx.end_terms.signatures, _ForgetfulOfParts())
    return PRODUCTION.run_closing(ctx, envelope_layout(configuration), held, set(), terms)


def _modeler_side(ctx: JobContext, configuration: Configuration, held: list[ListedShare]) -> bool:
    nonce = ctx.rng.bytes(NONCE_BYTES)
    records = _close(ctx, configuration, held).records
    outcome = PRODUCTION.certify_as_modeler(
        ctx, certification_spec(configuration), records, _MODEL, nonce
    )
    spec = verification_spec(configuration)
    PRODUCTION.verify_as_modeler(ctx, spec, _MODEL, nonce, len(_CASES), None)
    item = prepare_as_modeler(ctx, spec)
    PRODUCTION.verify_as_modeler(ctx, spec, _MODEL, nonce, len(_CASES), item)
    return outcome.verdict is Verdict.PASS


def _regulator_side(ctx: JobContext, configuration: Configuration, held: list[ListedShare]) -> bool:
    records = _close(ctx, configuration, held).records
    outcome: CertificationOutcome = PRODUCTION.certify_as_regulator(
        ctx, certification_spec(configuration), records
    )
    if outcome.model_signature is None:
        return False
    spec, signature = verification_spec(configuration), outcome.model_signature
    results = PRODUCTION.verify_as_regulator(ctx, spec, signature, _CASES, None)
    item = prepare_as_regulator(ctx, spec, signature)
    again = PRODUCTION.verify_as_regulator(ctx, spec, signature, _CASES, item)
    return results == again == [VerificationResult.CONFIRMED, VerificationResult.DIFFERENT_DECISION]


class _Forgetful:
    """Keeps no end: a rehearsal that breaks is begun anew, on other random bits."""

    def keep(self, end: bytes) -> None:
        """Keep nothing."""

    def note_answering(self, answer: bytes, *, refuses: bool) -> None:
        """Note nothing."""


class _ForgetfulOfParts:
    """Keeps no part of a closing either."""

    def keep(self, part: bytes, records: HeldRecords) -> None:
        """Keep nothing."""

    def note_opening(self, part: bytes) -> None:
        """Note nothing."""


def _end_terms(party: Party) -> EndTerms:
    """Return terms under which the party signs for both sides."""
    key = party.keys.signing
    signatures = Signatures(
        sign=key.sign,
        verify=lambda message, signature: verify_ed25519(key.public_bytes, message, signature),
    )
    return EndTerms(signatures, _Forgetful())


def _play(
    party: Party,
    modeler: Callable[[JobContext], Result],
    regulator: Callable[[JobContext], Result],
) -> tuple[Result, Result]:
    """Run both sides over TLS on the loopback, the party's own certificate at both ends."""
    job_digest = party.rng.bytes(32)
    results: dict[Role, Result] = {}
    failures: list[EngineError] = []

    def run(
        role: Role, opening: Callable[[], Channel], side: Callable[[JobContext], Result]
    ) -> None:
        try:
            channel = opening()
            try:
                ctx = JobContext(
                    role, channel, job_digest, party.rng, lambda *_: None, end=_end_terms(party)
                )
                results[role] = side(ctx)
            finally:
                channel.close()
        except EngineError as error:
            failures.append(error)

    own = party.keys.tls_certificate
    identity = party.keys.tls_identity
    with TLSListener(("127.0.0.1", 0), identity, own) as listener:
        address = listener.address
        thread = threading.Thread(
            target=run,
            args=(
                Role.MODELER,
                lambda: connect(address, identity, own, timeout_s=_LINE_LIMIT_S),
                modeler,
            ),
            daemon=True,
        )
        thread.start()
        run(Role.REGULATOR, lambda: listener.accept(timeout_s=_LINE_LIMIT_S), regulator)
        thread.join(_RUN_LIMIT_S)
    if failures or len(results) != len(Role):
        raise (
            failures[0]
            if failures
            else CheckFailedError("The rehearsal did not end.", code="REHEARSAL_FAILED")
        )
    return results[Role.MODELER], results[Role.REGULATOR]
