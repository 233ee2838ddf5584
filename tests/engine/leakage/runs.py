"""Protocols between two parties, with every frame recorded and every secret known."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.crypto.digests import sha256
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.protocols.certification.spec import CertificationSpec, Criterion
from mpc_engine.protocols.closing.record_list import ListedShare
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import encode_model, model_signature, public_block
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import credential
from mpc_engine.sharing.intake import open_submission
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.submission import prepare_submission
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.testing.ends import memory_terms
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from mpc_engine.transport.frame import HEADER_BYTES, decode_header
from tests.builders.certification_specs import certification_spec, covariance, p_rule
from tests.leak_search import (
    Canary,
    RecordingRandomness,
    secret_bits,
    secret_bytes,
    secret_integers,
    secrets_of_submission,
)

N_PEOPLE = 72
ENTRY_COUNTS = (3, 4)
REACH = 1 << 20
RANGES = ((-REACH, REACH),) * 3
X_FRAC_BITS, THETA_BITS, THETA_FRAC_BITS = 8, 24, 16
THETA = [-7654321, 5432109, -3210987, 6789012]
NONCE = seeded_randomness(71).bytes(32)
DIGEST = seeded_randomness(72).bytes(32)
LAYOUT = EnvelopeLayout(
    study_id=seeded_randomness(73).bytes(16),
    config_digest=DIGEST,
    category_counts=ENTRY_COUNTS,
    data_holder=Role.REGULATOR,
    data_by_file=False,
    feature_ranges=RANGES,
)
SIGNATURE = model_signature(DIGEST, NONCE, THETA)
COVARIANCE = covariance(1 << 40)
P_RULE = p_rule(0)
CASES = VerificationSpec(DIGEST, len(RANGES), X_FRAC_BITS, THETA_BITS, RANGES)
PEOPLES_SEED = 70
"""No run's: a party that drew what people drew would open their keys as its salts."""
_PIECE = 16


def certification(*criteria: Criterion) -> CertificationSpec:
    """Return what both parties know of a certification that the model passes."""
    return certification_spec(
        *criteria,
        config_digest=DIGEST,
        x_frac_bits=X_FRAC_BITS,
        theta_bits=THETA_BITS,
        theta_frac_bits=THETA_FRAC_BITS,
        entry_counts=ENTRY_COUNTS,
        feature_ranges=RANGES,
    )


@dataclass
class Cohort:
    """People with what each party holds of them, and with every secret of theirs."""

    held: dict[Role, list[ListedShare]]
    answers: NDArray[np.uint8]
    features: NDArray[np.int64]
    submissions: list[Canary]


def make_cohort() -> Cohort:
    """Let people share their answers as they do: dealt, sealed, opened and checked."""
    choose = np.random.default_rng(7)
    features = choose.integers(-REACH, REACH, (N_PEOPLE, len(RANGES)))
    answers = []
    held: dict[Role, list[ListedShare]] = {role: [] for role in Role}
    submissions: list[Canary] = []
    draw = seeded_randomness(PEOPLES_SEED)
    keys = {role: HpkePrivateKey.generate(draw) for role in Role}
    for number in range(N_PEOPLE):
        chosen = [(number + attribute) % count for attribute, count in enumerate(ENTRY_COUNTS)]
        rng = RecordingRandomness(draw)
        record_id, code = draw.bytes(16), draw.bytes(16)
        owner = P256SigningKey.generate(draw)
        sent = prepare_submission(
            LAYOUT,
            chosen,
            features=features[number].tolist(),
            label=number % 2,
            record_id=record_id,
            invitation_code=code,
            sequence=1,
            owner_key=owner,
            party_keys={role: (key.key_id, key.public_bytes) for role, key in keys.items()},
            rng=rng,
        )
        answers.append(LAYOUT.one_hot(chosen))
        submissions += secrets_of_submission(f"person {number}", rng.drawn, answers[-1], code)
        for role, key in keys.items():
            share = open_submission(
                LAYOUT,
                role,
                sent.envelopes[role],
                sha256(sent.envelopes[role.peer]),
                sent.owner_public_key,
                sent.signature,
                record_id,
                sent.submission_id,
                1,
                key,
                key.key_id,
                credential(code, role),
            )
            held[role].append(ListedShare(record_id, 1, share.common_digest, share))
    return Cohort(held, np.array(answers, dtype=np.uint8), features, submissions)


def people_canaries(cohort: Cohort) -> list[Canary]:
    """Return the people's secrets: dealt keys, shares, answers, features."""
    found = list(cohort.submissions)
    bits = {
        role.value: np.array([item.share.low_bits for item in cohort.held[role]]) for role in Role
    }
    bits["answers"] = cohort.answers
    real = [
        sum(ENTRY_COUNTS[:attribute]) + category
        for attribute, count in enumerate(ENTRY_COUNTS)
        for category in range(count - 1)
    ]
    for owner, table in bits.items():
        found += [
            secret_bits(f"{owner}: bits by person", table),
            secret_bits(f"{owner}: bits by entry", table.T),
            secret_bits(f"{owner}: bits of categories", table[:, real]),
        ]
        found += [secret_bits(f"{owner}: bits of entry {j}", table[:, j]) for j in real]
    for role in Role:
        for number, item in enumerate(cohort.held[role]):
            stored = item.share.to_bytes()
            start = stored.index(item.share.sender_keys.tobytes())
            found.append(secret_bytes(f"{role.value}: stored keys {number}", stored[start:]))
    for number, row in enumerate(cohort.features.tolist()):
        found.append(secret_integers(f"features of person {number}", row))
    for feature, column in enumerate(cohort.features.T.tolist()):
        found.append(secret_integers(f"feature {feature} of all", column, range(3, 9)))
    decisions = [decide(THETA, row, X_FRAC_BITS) for row in cohort.features.tolist()]
    found.append(secret_bits("decisions", np.array(decisions, dtype=np.uint8)))
    return found


def model_canaries() -> list[Canary]:
    """Return the modeler's secrets: the model as it is packed anywhere, and its nonce."""
    words = np.array([value % (1 << THETA_BITS) for value in THETA], dtype=np.uint64)
    secret_block = encode_model(DIGEST, NONCE, THETA)[len(public_block(DIGEST)) :]
    wires = (words[:, None] >> np.arange(THETA_BITS, dtype=np.uint64)) & np.uint64(1)
    return [
        secret_integers("theta", THETA, (3, 4, 8)),
        secret_integers("theta without intercept", THETA[1:], (3, 4, 8)),
        secret_bits("theta on wires", wires),
        secret_bytes("nonce", NONCE),
        secret_bits("nonce on wires", np.unpackbits(np.frombuffer(NONCE, dtype=np.uint8))),
        secret_bytes("model bytes", secret_block),
    ]


def case_canaries(cases: Iterable[tuple[list[int], int]]) -> list[Canary]:
    """Return the challenged cases' rows."""
    return [secret_integers(f"case {i}", row) for i, (row, _) in enumerate(cases)]


def draw_canaries(name: str, rng: RecordingRandomness) -> list[Canary]:
    """Return what a party drew in a job, in pieces; delta is a draw with its lowest bit set."""
    pieces = [
        (f"{name}'s draw {number} at {start}", drawn[start : start + _PIECE])
        for number, drawn in enumerate(rng.drawn)
        for start in range(0, len(drawn) - _PIECE // 2, _PIECE)
    ]
    pieces += [
        (f"{what}, lowest bit set", bytes([value[0] | 1]) + value[1:])
        for what, value in pieces
        if not value[0] & 1
    ]
    return [secret_bytes(what, value) for what, value in pieces]


@dataclass(frozen=True, repr=False)
class Frame:
    """One message as it leaves a party, before TLS."""

    sender: Role
    tag: int
    data: bytes


@dataclass
class Run:
    """A finished run: all frames in both directions, results, and what each party drew."""

    frames: list[Frame] = field(default_factory=list)
    results: dict[Role, Any] = field(default_factory=dict)
    drawn: dict[Role, RecordingRandomness] = field(default_factory=dict)

    def draws(self) -> list[Canary]:
        """Return both parties' draws as canaries."""
        return [
            canary for role, rng in self.drawn.items() for canary in draw_canaries(role.value, rng)
        ]


def tapped(
    modeler: Callable[[JobContext], Any], regulator: Callable[[JobContext], Any], seed: int
) -> Run:
    """Run both sides over channels whose frames are recorded in both directions."""
    run = Run()

    def tap(sender: Role) -> Callable[[bytes], None]:
        def record(data: bytes) -> None:
            run.frames.append(Frame(sender, decode_header(data[:HEADER_BYTES]).tag, data))

        return record

    def side(
        role: Role, protocol: Callable[[JobContext], Any], draw: int
    ) -> Callable[[Channel], Any]:
        run.drawn[role] = RecordingRandomness(seeded_randomness(draw))
        return lambda channel: protocol(
            JobContext(
                role=role,
                channel=channel,
                job_digest=struct.pack("<4Q", seed, 0, 0, 0),
                rng=run.drawn[role],
                progress=lambda stage, done, total: None,
                end=memory_terms(role),
            )
        )

    pair = memory_channel_pair(tap_a=tap(Role.MODELER), tap_b=tap(Role.REGULATOR))
    results = run_two_parties(
        side(Role.MODELER, modeler, 2 * seed),
        side(Role.REGULATOR, regulator, 2 * seed + 1),
        channels=pair,
    )
    run.results = dict(zip((Role.MODELER, Role.REGULATOR), results, strict=True))
    return run
