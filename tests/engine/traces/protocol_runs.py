"""Seeded runs of the protocols and of what they are built of, small enough for a second each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.ot import extension
from mpc_engine.ot.base_ot import recv_base_ots, send_base_ots
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols import instances
from mpc_engine.protocols.certification import people
from mpc_engine.protocols.certification.spec import Criterion
from mpc_engine.protocols.decision import decide
from mpc_engine.protocols.model_encoding import model_signature
from mpc_engine.protocols.session import EvaluatorSession, GarblerSession, JobContext
from mpc_engine.protocols.training.checkpoint import TrainingState
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.row_sets import row_sets_of
from mpc_engine.protocols.training.spec import Phase
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import Disclosure
from tests.builders.certification_specs import certification_spec, covariance, limits_on, p_rule
from tests.builders.held_shares import layout_by_file, listed_shares
from tests.engine.protocols.both_sides import (
    NONCE,
    certify_on_both_sides,
    close_on_both_sides,
    prepare_on_both_sides,
    verify_on_both_sides,
)
from tests.engine.protocols.rate_cases import SIGN, as_arrays, random_people, rules_for, spec_of
from tests.engine.protocols.running import run_protocol
from tests.engine.protocols.training_cases import checkpointing, random_problem, sweep
from tests.engine.traces.recording import Recorder

Run = Callable[[Recorder], None]

_DIGEST = b"\x21" * 32
RATES_TRACED = {
    "p_rule": "2 groups",
    "acceptance_rate_difference": "5 groups",
    "acceptance_rate_z_test": "2 groups",
    "accuracy_z_test": "2 groups",
    "true_positive_rate_ratio": "3 x 5",
    "true_negative_rate_difference": "2 groups",
    "positive_predictive_value_ratio": "5 groups",
    "negative_predictive_value_z_test": "2 groups",
    "equalised_odds_ratio": "2 groups",
    "equalised_odds_difference": "5 groups",
}
"""A criterion of each rate and of each kind of bound, with the shape of its groups."""
_RULES: dict[str, dict[str, Any]] = {
    "worst case of missing answers": {"missing": "worst_case_certifies"},
    "against the rest": {"reference": "each_against_rest"},
    "against the most selected": {"reference": "most_selected"},
    "small groups named": {"small_groups": "excluded_and_named", "floor": 3},
}
_CASES = VerificationSpec(_DIGEST, 3, 8, 24, ((-500, 500),) * 3)
_CASES_THETA = [12345, -70000, 8, 1 << 20]
_CASES_SIGNATURE = model_signature(_DIGEST, NONCE, _CASES_THETA)


def _session(recorder: Recorder) -> None:
    run_protocol(EvaluatorSession, GarblerSession, tap=recorder.tap)


def _base_ots(recorder: Recorder) -> None:
    bits = np.array([0, 1, 1, 0, 1], dtype=np.uint8)
    run_protocol(
        lambda ctx: send_base_ots(ctx.channel, len(bits), b"session", ctx.rng),
        lambda ctx: recv_base_ots(ctx.channel, bits, b"session", ctx.rng),
        tap=recorder.tap,
    )


def _ot_extension(recorder: Recorder) -> None:
    """Extend twice, by several parts the second time, and then once the other way round."""
    hash_ = TweakedHash(bytes(range(16)))
    sizes = (1, 1000)

    def modeler(ctx: JobContext) -> None:
        ot = RandomOTReceiver(ctx.channel, b"session", ctx.rng, hash_)
        for size in sizes:
            ot.extend(ctx.rng.bits(size))
        back = RandomOTSender(ctx.channel, b"session", ctx.rng, hash_, bootstrap=ot)
        back.extend(130)

    def regulator(ctx: JobContext) -> None:
        ot = RandomOTSender(ctx.channel, b"session", ctx.rng, hash_)
        for size in sizes:
            ot.extend(size)
        back = RandomOTReceiver(ctx.channel, b"session", ctx.rng, hash_, bootstrap=ot)
        back.extend(ctx.rng.bits(130))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extension, "PART_TRANSFERS", 128)
        run_protocol(modeler, regulator, tap=recorder.tap)


def _closing(recorder: Recorder) -> None:
    """Close a cohort in blocks: one row is not one-hot, and each list lacks somebody."""
    counts = (3, 4)
    answers = one_hot(np.arange(20).reshape(10, 2) % 3, counts)
    answers[3] = 1
    modeler, regulator = (
        listed_shares(
            records, {row: row % 2 for row in range(10)}, lambda row, _: bytes([row] * 32)
        )
        for records in deal_records(answers, None, seeded_randomness(3))
    )
    del modeler[1], regulator[5]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instances, "BLOCK_ITEMS", 4 * sum(counts))
        close_on_both_sides(layout_by_file(*counts), modeler, regulator, tap=recorder.tap)


def _rates(
    criterion: str,
    shape: str,
    disclosure: Disclosure,
    epsilon: Fraction | None = None,
    **changes: Any,
) -> Run:
    """Return a certification by one criterion, of one shape of groups."""
    rules = replace(rules_for(criterion, shape), **changes)

    def run(recorder: Recorder) -> None:
        dice = np.random.default_rng(11)
        dealt = as_arrays(rules, random_people(rules, dice, 3, least=1, silent=2), dice)
        spec = replace(spec_of(rules, disclosure), epsilon=epsilon)
        answers = one_hot(dealt.choices, spec.entry_counts)
        modeler, regulator = deal_records(
            answers, dealt.features, seeded_randomness(12), dealt.labels
        )
        certify_on_both_sides(spec, modeler, regulator, SIGN, tap=recorder.tap)

    return run


def _mixed(*criteria: Criterion, counts: tuple[int, ...] = (3,), workers: int = 1) -> Run:
    """Return a certification of people in several blocks, of two parts each."""
    spec = certification_spec(*criteria, config_digest=_DIGEST, entry_counts=counts)
    theta = [-(1 << 20), 1 << 18, -(1 << 17)]

    def run(recorder: Recorder) -> None:
        n = 19
        dice = np.random.default_rng(n)
        answers = one_hot(np.stack([np.arange(n) % count for count in counts], axis=1), counts)
        features = dice.integers(-512, 513, (n, 2))
        labels = dice.integers(0, 3, n).astype(np.uint8)
        modeler, regulator = deal_records(answers, features, seeded_randomness(n), labels)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(people, "PART_RECORDS", 2)
            patch.setattr(instances, "BLOCK_ITEMS", 4 * len(spec.real_entries))
            certify_on_both_sides(
                spec, modeler, regulator, theta, workers=workers, tap=recorder.tap
            )

    return run


def _training(recorder: Recorder) -> None:
    """Train two models in one run, of several epochs, phases and blocks, under constraints."""
    problem = random_problem(np.random.default_rng(8), 12, 3, (3, 4))
    phases = Phase(3, 1, 1, 6), Phase(2, 1, 2, 7)
    points = [problem.spec(*phases, batch=4, n_averaged=1, c=c) for c in (655, 0)]
    sweep(points, problem, dealt=13, tap=recorder.tap)


def _training_on_outcomes(
    *constraints: Constraint, scope: ConstraintScope = ConstraintScope.WHOLE_SET
) -> Run:
    """Train under constraints, most on outcomes; one attribute has too few answers."""

    def run(recorder: Recorder) -> None:
        problem = random_problem(np.random.default_rng(8), 12, 3, (3, 4))
        phases = Phase(3, 1, 1, 6), Phase(2, 1, 2, 7)
        for seed, constraint in enumerate(constraints, start=1):
            sets = row_sets_of(constraint)
            given: dict[str, Any] = {"row_sets": sets, "minimum_answers": 3, "scope": scope}
            spec = problem.spec(*phases, batch=4, **given)
            sweep([spec], problem, seed, dealt=13, tap=recorder.tap)

    return run


def _resumed_training(recorder: Recorder) -> None:
    """Go on from the first checkpoint of a run, to a mean of two iterates."""
    problem = random_problem(np.random.default_rng(9), 8, 2, (3,))
    spec = problem.spec(Phase(8, 1, 1, 6), batch=4, n_averaged=2)
    modeler, regulator = deal_records(problem.answers, None, seeded_randomness(14))
    kept: dict[Role, list[TrainingState]] = {role: [] for role in Role}

    def run(seed: int, start: dict[Role, TrainingState | None], **options: Any) -> None:
        checkpoints = {role: checkpointing(start[role], kept[role].append) for role in Role}
        run_protocol(
            lambda ctx: list(
                train_as_modeler(
                    ctx,
                    [spec],
                    modeler,
                    problem.rows,
                    problem.labels,
                    checkpoints[Role.MODELER],
                )
            ),
            lambda ctx: list(
                train_as_regulator(ctx, [spec], regulator, checkpoints[Role.REGULATOR])
            ),
            seed,
            **options,
        )

    run(1, dict.fromkeys(Role))
    run(2, {role: kept[role][0] for role in Role}, tap=recorder.tap)


def _cases(n: int) -> list[tuple[list[int], int]]:
    rows = np.random.default_rng(n).integers(-500, 501, (n, 3)).tolist()
    return [(row, decide(_CASES_THETA, row, 8) ^ (i % 3 == 1)) for i, row in enumerate(rows)]


def _verification(n: int, *, from_stock: bool = False) -> Run:
    cases = _cases(n)

    def run(recorder: Recorder) -> None:
        items: Any = None, None
        if from_stock:
            items = prepare_on_both_sides(_CASES, _CASES_SIGNATURE)
        verify_on_both_sides(
            _CASES, _CASES_SIGNATURE, _CASES_THETA, cases, NONCE, items, seed=2, tap=recorder.tap
        )

    return run


def _preparation(recorder: Recorder) -> None:
    prepare_on_both_sides(_CASES, _CASES_SIGNATURE, tap=recorder.tap)


_COVARIANCE = covariance(Fraction(1, 4), 3, index=1)
_P_RULE = p_rule(60)
_OUTCOMES = limits_on(CriterionName.ACCURACY_DIFFERENCE, 40)

PROTOCOL_RUNS: dict[str, Run] = {
    "session": _session,
    "base OTs": _base_ots,
    "OT extension": _ot_extension,
    "closing": _closing,
    "certification: covariance, 2 groups": _mixed(_COVARIANCE),
    "certification: covariance, 3 and 4 groups": _mixed(_COVARIANCE, counts=(4, 5)),
    **{
        f"certification: {name}, {shape}": _rates(name, shape, Disclosure.VERDICT)
        for name, shape in RATES_TRACED.items()
    },
    **{
        f"certification: p_rule, 5 groups, {rule}": _rates(
            "p_rule", "5 groups", Disclosure.VERDICT, **changes
        )
        for rule, changes in _RULES.items()
    },
    "certification: bracket": _rates("p_rule", "5 groups", Disclosure.BRACKET),
    "certification: table": _rates("accuracy_difference", "5 groups", Disclosure.TABLE),
    "certification: 2 divisions and both crossed": _rates(
        "p_rule", "3 x 5", Disclosure.TABLE, groupings=((0,), (1,), (0, 1))
    ),
    "certification: noised cells": _rates(
        "equalised_odds_difference",
        "2 groups",
        Disclosure.TABLE,
        Fraction(4),
        missing="bounds_shown",
    ),
    "certification: all kinds, blocks and parts": _mixed(_COVARIANCE, _P_RULE, _OUTCOMES),
    "certification: all kinds, 3 workers": _mixed(_COVARIANCE, _P_RULE, _OUTCOMES, workers=3),
    "training: a sweep of two models": _training,
    "training: from a checkpoint": _resumed_training,
    "training: true positive and negative rates": _training_on_outcomes(
        Constraint.TRUE_POSITIVE_RATE, Constraint.TRUE_NEGATIVE_RATE
    ),
    "training: equalised odds": _training_on_outcomes(Constraint.EQUALISED_ODDS),
    "training: accuracy": _training_on_outcomes(Constraint.ACCURACY),
    "training: on the minibatch": _training_on_outcomes(
        Constraint.ACCEPTANCE_RATE,
        Constraint.EQUALISED_ODDS,
        scope=ConstraintScope.MINIBATCH,
    ),
    "verification: one case": _verification(1),
    "verification: a batch": _verification(7),
    "verification: one case from stock": _verification(1, from_stock=True),
    "verification: a batch from stock": _verification(7, from_stock=True),
    "preparation for the stock": _preparation,
}
"""Every run by its name. Certification and verification hold the model's signature, SHA-256."""
