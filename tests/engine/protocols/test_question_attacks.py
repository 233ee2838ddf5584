"""A modeler that asks about one person: by a model that separates her from all the others.

People stand on a circle, so that a linear model cuts off any arc. The modeler knows every feature
and an accomplice's group; her group is what it is after.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mpc_engine.fairness.groups import Floors
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.protocols.certification.protocol import certify_as_modeler, certify_as_regulator
from mpc_engine.protocols.certification.spec import CertificationOutcome
from mpc_engine.protocols.decision import decide
from mpc_engine.testing.people import deal_records, one_hot
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.vocabulary.verdicts import NoVerdict
from tests.builders.certification_specs import certification_spec, p_rule
from tests.engine.protocols.running import run_protocol

_N, _RADIUS, _X_BITS, _FLOOR = 40, 1 << 12, 8, 5
_NONCE = bytes(range(32))
_SPEC = certification_spec(
    p_rule(80, 95),
    x_frac_bits=_X_BITS,
    entry_counts=(3,),
    feature_ranges=((-_RADIUS, _RADIUS),) * 2,
    floors=Floors(_FLOOR, 20, _FLOOR),
)


def _circle() -> NDArray[np.int64]:
    angles = 2 * math.pi * np.arange(_N) / _N
    points = _RADIUS * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.rint(points).astype(np.int64)


def _arc(target: int, sign: int) -> list[int]:
    """Return a model that decides for the target and her next neighbour alone, or against them."""
    middle = 2 * math.pi * (target + 0.5) / _N
    edge = _RADIUS * math.cos(2 * math.pi / _N)
    slopes = [round(1000 * math.cos(middle)), round(1000 * math.sin(middle))]
    bias = -round(1000 * edge / (1 << _X_BITS))
    return [sign * bias, *(sign * slope for slope in slopes)]


def _choices(target: int, group: int) -> NDArray[np.int64]:
    """Return groups by turns, her neighbour's known to be 0, and hers."""
    choices = np.arange(_N) // 2 % 2
    choices[(target + 1) % _N], choices[target] = 0, group
    return choices[:, None]


def _told(outcome: CertificationOutcome) -> tuple[object, ...]:
    return outcome.verdict, outcome.reason, outcome.passes


def _told_by_protocol(answers: NDArray[np.uint8], theta: list[int]) -> tuple[object, ...]:
    modeler, regulator = deal_records(answers, _circle(), seeded_randomness(3))
    outcomes = run_protocol(
        lambda ctx: certify_as_modeler(ctx, _SPEC, modeler, theta, _NONCE),
        lambda ctx: certify_as_regulator(ctx, _SPEC, regulator),
    )
    (told,) = {_told(outcome) for outcome in outcomes}
    return told


def _reads_nothing(sign: int) -> None:
    points = _circle()
    for target in range(_N):
        theta = _arc(target, sign)
        decided = [decide(theta, [int(v) for v in row], _X_BITS) for row in points]
        alone = {number for number, one in enumerate(decided) if one == (sign > 0)}
        assert alone == {target, (target + 1) % _N}
        told = set()
        for group in (0, 1):
            answers = one_hot(_choices(target, group), (3,))
            told.add(_told(certify_in_the_clear(_SPEC, answers, points, theta, _NONCE)))
            if target == 0:
                told.add(_told_by_protocol(answers, theta))
        assert len(told) == 1, target


def test_a_model_that_selects_one_person_and_an_accomplice_reads_nothing() -> None:
    """Without the floor the verdict is PASS iff she is in the other group: read for all 40."""
    _reads_nothing(1)


def test_of_a_group_under_the_floor_it_is_not_told_whether_it_is_empty() -> None:
    """Else whoever knows all others, or one who is in the same group as all, reads her there."""
    theta, points = _arc(0, 1), _circle()
    told = set()
    for group in (0, 1):
        choices = np.zeros((_N, 1), np.int64)
        choices[0] = group
        told.add(_told(certify_in_the_clear(_SPEC, one_hot(choices, (3,)), points, theta, _NONCE)))
        told.add(_told_by_protocol(one_hot(choices, (3,)), theta))
    ((_, reason, _),) = told
    assert reason is NoVerdict.GROUP_UNDER_FLOOR


def test_a_model_that_rejects_one_person_and_an_accomplice_reads_nothing() -> None:
    """The same the other way round, under a bound that such few rejections can break."""
    _reads_nothing(-1)
