"""What jobs need to have happened before: a closed study, a certified model, a challenge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from mpc_engine.control.post.jobs import (
    certification_text,
    closing_text,
    training_text,
    verification_text,
)
from mpc_engine.control.post.line_report import LineReport
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.study_texts import Challenge, challenge_text
from mpc_engine.control.studies.training_terms import TrainingTerms
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.party.jobs.protocol_table import ProtocolTable
from mpc_engine.protocols.closing.protocol import ClosingOutcome
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.verification.preparation import prepare_as_modeler, prepare_as_regulator
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.sharing.sealed import Purpose
from mpc_engine.testing.randomness import seeded_randomness
from tests.builders.certification_specs import certification_spec, covariance, p_rule
from tests.builders.policies import criterion, each_pair
from tests.engine.party import plain_protocols
from tests.engine.party.heard import Heard
from tests.engine.party.plain_protocols import PLAIN
from tests.engine.party.world import World, model_body
from tests.engine.protocols.certified import certified
from tests.engine.protocols.running import run_protocol

JOB_ID = b"j" * 16
MODEL_ID = b"m" * 16
HONEST_X = (256, 512)
RECIPIENT = HpkePrivateKey.generate(seeded_randomness(77))
HALF = each_pair(criterion("p_rule", "50"))
"""What `N_HALF` of `closed_study` keep: 10 of 15 are selected of one age, 5 of the other."""
N_HALF = 30
TERMS = TrainingTerms("recommended", 40, 8, (("0.01",) * 4,), 16, b"o" * 16)

Reports = dict[Role, Heard]


def untold(report: LineReport) -> None:
    """Take the account of a meeting, which is not what is tested here."""


@cache
def compile_kernels() -> None:
    """Run every kernel once: jobs, like workers, begin when kernels are compiled.

    A busy machine needs longer for that than a party waits for a message of the other one.
    """
    certified(certification_spec(covariance(1), p_rule(1)), 2)
    spec = VerificationSpec(bytes(32), 1, 8, 24, ((-1, 1),))
    run_protocol(
        lambda ctx: prepare_as_modeler(ctx, spec),
        lambda ctx: prepare_as_regulator(ctx, spec, bytes(32)),
    )


def closing_spec(world: World, study: Configuration, **changes: Any) -> str:
    """Return a closing job."""
    values: dict[str, Any] = {
        "job_id": JOB_ID,
        "study_id": study.study_id,
        "configuration": study.digest,
        "created_at": world.now,
        "time_limit_s": 600,
    }
    return closing_text(**{**values, **changes})


def close(
    world: World, study: Configuration, table: ProtocolTable = PLAIN, **options: Any
) -> Reports:
    """Close a study."""
    return world.run_job(
        closing_spec(world, study), kind="closing", table=table, with_receipts=True, **options
    )


def closed_study(
    world: World, n_people: int = 3, table: ProtocolTable = PLAIN, **changes: Any
) -> tuple[Configuration, bytes]:
    """Return a closed study of people with different answers, and its record set.

    Of every six people the last three have another amount than the first.
    """
    study = world.open_study(n_invited=n_people, **changes)
    for number in range(n_people):
        answers, features = (number % 2, number % 3), (256, 512 * (number // 3 % 2 == 0))
        world.submit(study, world.answer(study, number, answers=answers, features=features))
    reports = close(world, study, table)
    return study, bytes.fromhex(str(reports[Role.MODELER].object("outcome")["record_set"]))


def hand_in(
    world: World, study: Configuration, model_id: bytes, *coefficients: str, intercept: str = "0"
) -> None:
    """Hand in a model."""
    body = model_body(study, *coefficients, intercept=intercept)
    message = world.order(Role.MODELER, "model", world.model_order(study, model_id, body))
    assert message.kind == "model_accepted"


def certification_spec_text(
    world: World, study: Configuration, record_set: bytes, **changes: Any
) -> str:
    """Return a certification job."""
    values: dict[str, Any] = {
        "job_id": b"c" * 16,
        "study_id": study.study_id,
        "configuration": study.digest,
        "created_at": world.now,
        "time_limit_s": 600,
        "model_id": MODEL_ID,
        "record_set": record_set,
    }
    return certification_text(**{**values, **changes})


def certify(
    world: World,
    study: Configuration,
    record_set: bytes,
    table: ProtocolTable = PLAIN,
    attempt: int = 0,
    **changes: Any,
) -> Reports:
    """Certify a model."""
    spec = certification_spec_text(world, study, record_set, **changes)
    return world.run_job(spec, kind="certification", table=table, attempt=attempt)


def trainable_study(
    world: World, n_people: int = 12, **changes: Any
) -> tuple[Configuration, bytes]:
    """Return a closed study whose data the modeler holds, outcomes included, and its record set."""
    study = world.open_study(
        n_invited=n_people,
        **{"data_holder": "modeler", "question_bits_limit": 200, **changes},
    )
    for number in range(n_people):
        answers, features, label = training_row(number)
        answer = world.answer(study, number, answers=answers, features=features, label=label)
        world.submit(study, answer)
    reports = close(world, study)
    return study, bytes.fromhex(str(reports[Role.MODELER].object("outcome")["record_set"]))


def training_row(number: int) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Return answers, features and outcome of person ``number`` of a trainable study."""
    features = (137 * number % 2000, 997 * number % 5000)
    return (number % 2, number % 3), features, int(features[1] > 2000 + 300 * (number % 2))


def training_spec_text(
    world: World, study: Configuration, record_set: bytes, **changes: Any
) -> str:
    """Return a training job."""
    values: dict[str, Any] = {
        "job_id": b"t" * 16,
        "study_id": study.study_id,
        "configuration": study.digest,
        "created_at": world.now,
        "time_limit_s": 600,
        "model_ids": [MODEL_ID],
        "record_set": record_set,
        "recipient": RECIPIENT.public_bytes,
        "terms": TERMS,
    }
    return training_text(**{**values, **changes})


def train(
    world: World,
    study: Configuration,
    record_set: bytes,
    table: ProtocolTable = PLAIN,
    attempt: int = 0,
    **changes: Any,
) -> Reports:
    """Train a model."""
    spec = training_spec_text(world, study, record_set, **changes)
    return world.run_job(spec, kind="training", table=table, attempt=attempt)


def certified_study(
    world: World, table: ProtocolTable = PLAIN, **changes: Any
) -> tuple[Configuration, bytes]:
    """Return a closed study with a certified model (it decides 1 above an amount), and its id."""
    study, record_set = closed_study(world, table=table, **changes)
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    outcome = certify(world, study, record_set, table)[Role.REGULATOR].object("outcome")
    certificate: dict[str, Any] = json.loads(str(outcome["certificate"]))
    return study, bytes.fromhex(certificate["certificate_id"])


def challenge(
    world: World,
    study: Configuration,
    certificate_id: bytes,
    challenge_id: bytes,
    *,
    x: Sequence[int] = HONEST_X,
    decision: int = 1,
    record: JsonObject | None = None,
    sealed_as: bytes | None = None,
) -> Heard:
    """Hand a challenge to the regulator's party."""
    text = challenge_text(
        Challenge(sealed_as or challenge_id, certificate_id, tuple(x), decision, record or {})
    )
    envelope = world.sealed(study, Role.REGULATOR, Purpose.CHALLENGE, challenge_id, text)
    order = {
        "challenge_id": challenge_id.hex(),
        "certificate_id": certificate_id.hex(),
        "study_id": study.study_id.hex(),
        "envelope": envelope,
    }
    return world.order(Role.REGULATOR, "challenge", order)


def verification_spec_text(
    world: World,
    study: Configuration,
    certificate_id: bytes,
    challenges: Sequence[bytes],
    **changes: Any,
) -> str:
    """Return a verification job."""
    values: dict[str, Any] = {
        "job_id": b"v" * 16,
        "study_id": study.study_id,
        "configuration": study.digest,
        "created_at": world.now,
        "time_limit_s": 600,
        "certificate_id": certificate_id,
        "challenges": list(challenges),
    }
    return verification_text(**{**values, **changes})


def verify(
    world: World,
    study: Configuration,
    certificate_id: bytes,
    challenges: Sequence[bytes],
    table: ProtocolTable = PLAIN,
    attempt: int = 0,
    roles: Sequence[Role] = tuple(Role),
    **changes: Any,
) -> Reports:
    """Answer challenges."""
    spec = verification_spec_text(world, study, certificate_id, challenges, **changes)
    return world.run_job(spec, kind="verification", table=table, attempt=attempt, roles=roles)


def outcomes(report: Heard) -> list[str]:
    """Return the outcomes of a regulator's report."""
    rows: Any = report.object("outcome")["challenges"]
    return [row["outcome"] for row in rows]


def with_protocols(**functions: Any) -> ProtocolTable:
    """Return the plain protocols with some replaced."""
    return replace(PLAIN, **functions)


def closing_to(*values: bytes) -> ProtocolTable:
    """Return protocols in which modeler and regulator commit to these hashes."""

    def run(
        ctx: JobContext,
        layout: Any,
        held: Any,
        receipts: Any,
        terms: ClosingTerms,
    ) -> ClosingOutcome:
        value = values[list(Role).index(ctx.role)]
        return plain_protocols.run_closing(ctx, layout, held, receipts, terms, value)

    return with_protocols(run_closing=run)
