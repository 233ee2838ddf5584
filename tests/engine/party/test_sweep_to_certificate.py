"""A sweep on the real parties, to the end: trained, taken over, certified, and one model taken."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mpc_engine.client.targets import TargetSearch
from mpc_engine.control.files.model_file import decide_case
from mpc_engine.control.studies.takeover import Takeover, takeover_text
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.services.models import model_theta
from mpc_engine.roles import Role
from tests.builders.policies import criterion, each_pair
from tests.engine.party.plain_protocols import PLAIN
from tests.engine.party.stories import (
    TERMS,
    certify,
    closing_spec,
    train,
    trainable_study,
    training_row,
)
from tests.engine.party.world import M, R, World

N_TRAINED, N_HELD_OUT = 12, 60
LIMITS = ("40", "80", "95")
POLICY = each_pair(
    criterion("p_rule", *LIMITS, certify_at="80"), groups=[["age"]], minimum_answers=4
)


def _percent(decisions: list[int], groups: list[int]) -> Fraction:
    """Return the smallest ratio of two groups' rates of acceptance, in percent."""
    rates = [
        Fraction(sum(d for d, g in zip(decisions, groups, strict=True) if g == group))
        / groups.count(group)
        for group in set(groups)
    ]
    return 100 * min(rates) / max(rates)


@pytest.mark.slow
def test_the_most_accurate_certified_model_of_a_sweep_is_found(world: World) -> None:
    training, record_set = trainable_study(world, N_TRAINED, question_bits_limit=1000)
    certifying = world.open_study(n_invited=N_HELD_OUT, study_id=b"held-out people!", policy=POLICY)
    rows = [training_row(100 + number) for number in range(N_HELD_OUT)]
    for number, (answers, features, _) in enumerate(rows):
        answer = world.answer(certifying, number, answers=answers, features=features)
        world.submit(certifying, answer)
    closing = closing_spec(world, certifying, job_id=b"another closing!")
    closed = world.run_job(closing, kind="closing", table=PLAIN, with_receipts=True)
    held_out = bytes.fromhex(str(closed[M].object("outcome")["record_set"]))
    search = TargetSearch(training, certifying, Fraction(80))
    points = tuple((c,) * 4 for c in ("1", "0.03"))
    trained = [bytes([80 + number]) * 16 for number in range(2)]
    terms = {**vars(TERMS), "points": points, "steps": 60}
    reports = train(
        world,
        training,
        record_set,
        PRODUCTION,
        terms=type(TERMS)(**terms),
        model_ids=trained,
    )
    assert {report.kind for report in reports.values()} == {"job_result"}
    right = [message.integer("right_per_mille") for message in world.messages(M, "model_trained")]

    taken = [bytes([90 + number]) * 16 for number in range(2)]
    pairs = dict(zip(taken, trained, strict=True))
    text = takeover_text(Takeover(certifying.study_id, certifying.digest, pairs))
    (approval,) = world.approvals("takeover", text, [M])
    for number, model_id in enumerate(taken):
        ids = {"study_id": certifying.study_id.hex(), "model_id": model_id.hex()}
        order = {**ids, "text": text, "approval": approval}
        assert world.order(M, "take_over_model", order).kind == "model_accepted"
        judged = certify(
            *(world, certifying, held_out, PRODUCTION),
            job_id=bytes([100 + number]) * 16,
            model_id=model_id,
            time_limit_s=60,
        )
        assert {report.kind for report in judged.values()} == {"job_result"}
        outcome = judged[R].object("outcome")
        known = search.note(points[number], outcome, right[number])
        with world.parties[M].database.reading() as connection:
            theta = model_theta(world.parties[M], connection, certifying.study_id, model_id)
        decisions = [decide_case(theta, x, certifying.x_frac_bits) for _, x, _ in rows]
        percent = _percent(decisions, [age for (age, _), _, _ in rows])
        limits = [Fraction(limit) for limit in LIMITS]
        assert known.passed == max((each for each in limits if each <= percent), default=None)
        assert known.failed == min((each for each in limits if each > percent), default=None)
    best = search.best()
    certified = [each for each in search.candidates if each.certified]
    assert certified
    assert len({(each.passed, each.failed) for each in search.candidates}) > 1
    assert best is not None
    assert best.right_per_mille == max(each.right_per_mille or 0 for each in certified)
    for role in Role:
        spent = world.messages(role, "question")[-1].integer("spent_millibits")
        assert spent == round(1000 * search.cost(2).certification_bits) == 2 * 2808
