"""No secret of one party or person leaves the other party's sight in any frame, before TLS.

Closing, certification under each criterion, verification and the signing of a certificate run with
every frame recorded. Whatever is sent by design is listed in `BY_DESIGN`, is found there, and
nowhere else; so the searches are known to look at the real frames.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import pytest

from mpc_engine.control.files.certificate import SecurityModel, ThresholdVerdict, certificate_text
from mpc_engine.control.studies.configuration import StudyParty, complete_draft
from mpc_engine.crypto.hpke import PUBLIC_KEY_BYTES
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.party.jobs.certificate_exchange import countersign_certificate, offer_certificate
from mpc_engine.party.line.tags import PartyTag
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import Criterion
from mpc_engine.protocols.closing.protocol import run_closing
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.protocols.verification.preparation import prepare_as_modeler, prepare_as_regulator
from mpc_engine.protocols.verification.protocol import verify_as_modeler, verify_as_regulator
from mpc_engine.roles import Role
from mpc_engine.secure_ops.tags import OpTag
from mpc_engine.testing.ends import closing_terms
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.transport.tags import MessageTag
from mpc_engine.vocabulary.verdicts import Verdict, VerificationResult
from tests.builders.study_drafts import STUDY_ID, make_draft
from tests.engine.leakage.runs import (
    CASES,
    COVARIANCE,
    LAYOUT,
    N_PEOPLE,
    NONCE,
    P_RULE,
    SIGNATURE,
    THETA,
    X_FRAC_BITS,
    Cohort,
    Run,
    case_canaries,
    certification,
    make_cohort,
    model_canaries,
    people_canaries,
    tapped,
)
from tests.leak_search import Canary, Leak, Search, secret_bytes

BY_DESIGN: dict[str, set[int]] = {
    "record id": {ProtocolTag.RECORD_LIST},
    "digest of C": {ProtocolTag.RECORD_LIST},
    "digest of the record set": {ProtocolTag.AGREED_RECORDS, PartyTag.CERTIFICATE},
    "s(theta)": {PartyTag.CERTIFICATE},
    "draw": {
        ProtocolTag.SESSION_NONCE,
        OpTag.GARBLER_INPUT_SEED,
        MessageTag.OT_CHALLENGE,
        ProtocolTag.TABLE_KEY,
        ProtocolTag.FLIP_LABELS,
        ProtocolTag.PROOF_OPENING,
        ProtocolTag.DECODING_OPENING,
        ProtocolTag.LABELS_OPENING,
        ProtocolTag.CLOSING_OPENING,
    },
}
"""What frames carry openly, and in which messages.

Record ids and digests of the common block: the parties compare their lists. The digest of the list
they agree on, and s(theta), SHA-256 of the model with a secret nonce: a certificate states both. Of
all that a party draws: its session nonce, the seed of the labels of garbler inputs, and the
challenge of the OT check, which is drawn after the columns it challenges have come. Of prepared
material, when its use begins: the key of the tables' mask, and the label of each wire's flip, which
is a draw where the flip is 0. At an end, the salts of what was committed to, when it is opened.
"""


@lru_cache(maxsize=1)
def cohort() -> Cohort:
    return make_cohort()


@lru_cache(maxsize=1)
def closing() -> Run:
    held = cohort().held
    return tapped(
        lambda ctx: run_closing(ctx, LAYOUT, held[Role.MODELER], set(), closing_terms(ctx.role)),
        lambda ctx: run_closing(ctx, LAYOUT, held[Role.REGULATOR], set(), closing_terms(ctx.role)),
        seed=1,
    )


@lru_cache(maxsize=4)
def certifying(*criteria: Criterion) -> Run:
    spec = certification(*criteria)
    records = {role: outcome.records for role, outcome in closing().results.items()}
    return tapped(
        lambda ctx: certify_as_modeler(ctx, spec, records[Role.MODELER], THETA, NONCE),
        lambda ctx: certify_as_regulator(ctx, spec, records[Role.REGULATOR]),
        seed=2 + len(criteria),
    )


def cases() -> list[tuple[list[int], int]]:
    rows = [[person * 1001, -70_000 + person, 99_999 - 3 * person] for person in range(100, 110)]
    return [(row, decide(THETA, row, X_FRAC_BITS) ^ (n % 2)) for n, row in enumerate(rows)]


@lru_cache(maxsize=1)
def verifying() -> Run:
    return tapped(
        lambda ctx: verify_as_modeler(ctx, CASES, THETA, NONCE, len(cases())),
        lambda ctx: verify_as_regulator(ctx, CASES, SIGNATURE, cases()),
        seed=6,
    )


@lru_cache(maxsize=1)
def verifying_from_stock() -> Run:
    """Prepare and verify in one go: the search sees the frames of both."""
    return tapped(
        lambda ctx: verify_as_modeler(
            ctx, CASES, THETA, NONCE, len(cases()), prepare_as_modeler(ctx, CASES)
        ),
        lambda ctx: verify_as_regulator(
            ctx, CASES, SIGNATURE, cases(), prepare_as_regulator(ctx, CASES, SIGNATURE)
        ),
        seed=8,
    )


@lru_cache(maxsize=1)
def signing() -> Run:
    draw = seeded_randomness(7)
    keys = {role: Ed25519SigningKey.generate(draw) for role in Role}
    modeler, regulator = (
        StudyParty(
            role.value, draw.bytes(16), draw.bytes(PUBLIC_KEY_BYTES), keys[role].public_bytes
        )
        for role in (Role.MODELER, Role.REGULATOR)
    )
    configuration = complete_draft(
        make_draft(), study_id=STUDY_ID, modeler=modeler, regulator=regulator
    )
    now = datetime(2026, 1, 1, tzinfo=UTC)
    text = certificate_text(
        configuration,
        certificate_id=draw.bytes(16),
        record_set=closing().results[Role.MODELER].record_set,
        n_records=N_PEOPLE,
        model_id=draw.bytes(16),
        model_signature=SIGNATURE,
        thresholds=[
            ThresholdVerdict(criterion, threshold, "PASS")
            for criterion, threshold in configuration.policy.limits
        ],
        code_digest=bytes(32),
        security_models=[SecurityModel("p_rule", "as tested")],
        valid_from=now,
        valid_until=now + timedelta(days=30),
    )
    return tapped(
        lambda ctx: countersign_certificate(
            ctx.channel,
            keys[Role.MODELER],
            lambda certificate: None,
            configuration,
            lambda signed: None,
        ),
        lambda ctx: offer_certificate(ctx.channel, text, keys[Role.REGULATOR], configuration),
        seed=7,
    )


RUNS: dict[str, Callable[[], Run]] = {
    "closing": closing,
    "covariance": lambda: certifying(COVARIANCE),
    "p_rule": lambda: certifying(P_RULE),
    "both criteria": lambda: certifying(COVARIANCE, P_RULE),
    "verification": verifying,
    "verification from stock": verifying_from_stock,
    "signing": signing,
}


def public_canaries() -> list[Canary]:
    """Return what may be sent, each in its messages only."""
    listed = cohort().held[Role.MODELER]
    return [
        *(secret_bytes(f"record id {n}", item.record_id) for n, item in enumerate(listed)),
        *(secret_bytes(f"digest of C {n}", item.common_digest) for n, item in enumerate(listed)),
        secret_bytes("digest of the record set", closing().results[Role.MODELER].record_set),
        secret_bytes("s(theta)", SIGNATURE),
    ]


@lru_cache(maxsize=1)
def secrets() -> list[Canary]:
    return [*people_canaries(cohort()), *model_canaries(), *case_canaries(cases())]


@lru_cache(maxsize=1)
def secret_search() -> Search:
    return Search(secrets())


def openly_in(run: Run) -> tuple[list[Leak], set[tuple[str, int]]]:
    """Return where public values and draws occur against the design, and where they do by it."""
    search = Search([*public_canaries(), *run.draws()])
    leaks, expected = [], set()
    for number, frame in enumerate(run.frames):
        for leak in search.in_bytes(f"frame {number} of the {frame.sender.value}", frame.data):
            kinds = [kind for kind in BY_DESIGN if kind in leak.canary]
            if kinds and frame.tag in BY_DESIGN[kinds[0]]:
                expected.add((kinds[0], frame.tag))
            else:
                leaks.append(leak)
    return leaks, expected


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_frames_hold_no_secret(name: str) -> None:
    run = RUNS[name]()
    assert {frame.sender for frame in run.frames} == set(Role)
    search = secret_search()
    leaks = [
        leak
        for number, frame in enumerate(run.frames)
        for leak in search.in_bytes(f"frame {number} of the {frame.sender.value}", frame.data)
    ]
    assert not leaks, leaks[:20]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "closing",
            {
                ("record id", ProtocolTag.RECORD_LIST),
                ("digest of C", ProtocolTag.RECORD_LIST),
                ("digest of the record set", ProtocolTag.AGREED_RECORDS),
                ("draw", ProtocolTag.SESSION_NONCE),
                ("draw", MessageTag.OT_CHALLENGE),
                ("draw", ProtocolTag.CLOSING_OPENING),
            },
        ),
        *(
            (
                name,
                {
                    ("draw", ProtocolTag.SESSION_NONCE),
                    ("draw", MessageTag.OT_CHALLENGE),
                    ("draw", OpTag.GARBLER_INPUT_SEED),
                    ("draw", ProtocolTag.PROOF_OPENING),
                    ("draw", ProtocolTag.DECODING_OPENING),
                    ("draw", ProtocolTag.LABELS_OPENING),
                },
            )
            for name in ("covariance", "p_rule", "both criteria")
        ),
        (
            "verification",
            {
                ("draw", ProtocolTag.SESSION_NONCE),
                ("draw", MessageTag.OT_CHALLENGE),
                ("draw", OpTag.GARBLER_INPUT_SEED),
                ("draw", ProtocolTag.LABELS_OPENING),
            },
        ),
        (
            "verification from stock",
            {
                ("draw", ProtocolTag.SESSION_NONCE),
                ("draw", MessageTag.OT_CHALLENGE),
                ("draw", OpTag.GARBLER_INPUT_SEED),
                ("draw", ProtocolTag.TABLE_KEY),
                ("draw", ProtocolTag.FLIP_LABELS),
                ("draw", ProtocolTag.LABELS_OPENING),
            },
        ),
        (
            "signing",
            {
                ("s(theta)", PartyTag.CERTIFICATE),
                ("digest of the record set", PartyTag.CERTIFICATE),
            },
        ),
    ],
)
def test_frames_hold_openly_what_the_design_says_and_nothing_else(
    name: str, expected: set[tuple[str, int]]
) -> None:
    leaks, found = openly_in(RUNS[name]())
    assert not leaks, leaks[:20]
    assert found == expected


def test_the_runs_are_those_of_honest_parties() -> None:
    for outcome in closing().results.values():
        assert (len(outcome.records), outcome.n_invalid, outcome.n_disagreed) == (N_PEOPLE, 0, 0)
    for name in ("covariance", "p_rule", "both criteria"):
        outcome = RUNS[name]().results[Role.REGULATOR]
        assert outcome.verdict is Verdict.PASS
        assert outcome.model_signature == SIGNATURE
    results = [VerificationResult.CONFIRMED, VerificationResult.DIFFERENT_DECISION] * 5
    assert verifying().results[Role.REGULATOR] == results


def assert_all_are_found_in_a_copy_of(frame: bytes, canaries: list[Canary]) -> None:
    """Plant every form of every canary between pieces of a frame; the search names each."""
    search = Search(canaries)
    planted = bytearray(frame)
    for number, pattern in enumerate(search.patterns):
        planted += pattern + frame[number % 64 : number % 64 + 1 + number % 5]
    found = {(leak.canary, leak.form) for leak in search.in_bytes("planted", bytes(planted), 0)}
    assert found == set(search.patterns.values())
    assert {canary.name for canary in canaries} == {name for name, _ in found}


@pytest.mark.slow
def test_every_secret_in_every_form_is_found_when_a_frame_holds_it() -> None:
    frames = [frame.data for run in RUNS.values() for frame in run().frames]
    frame = next(frame for frame in frames if 2048 < len(frame) < 8192)
    assert_all_are_found_in_a_copy_of(frame, [*secrets(), *public_canaries()])


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_every_draw_in_every_form_is_found_when_a_frame_holds_it(name: str) -> None:
    run = RUNS[name]()
    longest = max((frame.data for frame in run.frames), key=len)
    assert_all_are_found_in_a_copy_of(longest[:4096], run.draws())


@pytest.mark.slow
@pytest.mark.parametrize("sender", list(Role))
def test_a_secret_sent_in_a_frame_of_its_own_is_found_on_the_way(sender: Role) -> None:
    """A party that sends a key, a share, its model or a row is caught by the same tap."""
    chosen = [canary for canary in secrets() if " 1" in canary.name or "theta" in canary.name]
    sent = [canary.forms() for canary in chosen]

    def talk(ctx: JobContext) -> None:
        for forms in sent:
            for pattern in forms.values():
                ctx.channel.send(ProtocolTag.PROOF_OPENING, pattern)

    def listen(ctx: JobContext) -> None:
        for forms in sent:
            for _ in forms:
                ctx.channel.recv(ProtocolTag.PROOF_OPENING)

    sides = (talk, listen) if sender is Role.MODELER else (listen, talk)
    run = tapped(*sides, seed=9)
    assert len(run.frames) == sum(map(len, sent))
    search = secret_search()
    assert all(search.in_bytes("frame", frame.data) for frame in run.frames)
