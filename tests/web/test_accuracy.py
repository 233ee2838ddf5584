"""Right decisions in training and on held-out people."""

from __future__ import annotations

from typing import Any

import pytest

from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.engine.engine_client import read_configuration
from blindjustice_web.presentation.words.accuracy import holdout_sentence
from blindjustice_web.studies.models import Study
from tests.engine.control.policies import criterion, named_groups
from tests.web.stories import World, draft

P_RULE = criterion("p_rule", "50", "60", "70", "80", certify_at="80")
ACCURACY = criterion("accuracy_difference", "5", certify_at="5")
ORIGIN = {
    "name": "origin",
    "title": "Origin",
    "question": "Where are you from?",
    "categories": [{"name": "here", "title": "Here"}, {"name": "elsewhere", "title": "Elsewhere"}],
}
COUNTS = {"size": 90, "selected": 40, "true_positives": 30, "false_positives": 10}
COUNTS |= {"true_negatives": 41, "false_negatives": 9}


def certifying(world: World, second: dict[str, Any] = ACCURACY, **policy: Any) -> Study:
    """Return a closed study on two attributes; its policy opens right decisions by age."""
    given = {"groups": [["age"]], "disclosure": "table", **policy}
    return world.closed(
        policy=named_groups(P_RULE, second, **given),
        attributes=[*draft()["attributes"], ORIGIN],
        question_bits_limit=10_000,
    )


def judged(world: World, study: Study, model_id: str, n_empty: int = 1) -> CertificationResult:
    """Return the result of a model; of the last groups nothing is counted."""
    configuration = read_configuration(study.configuration.text)
    policy = configuration.policy
    names = configuration.groups
    full, empty = [COUNTS[name] for name in policy.counts], [0 for _ in policy.counts]
    rows = [
        {
            "group": [list(pair) for pair in name],
            "left_out": "no",
            "counts": empty if last else full,
        }
        for name, last in zip(
            names, [number >= len(names) - n_empty for number in range(len(names))], strict=True
        )
    ]
    told = {"groups": rows} if policy.opens_table else {}
    world.judged_model(study, model_id, ("FAIL",) * len(policy.questions), **told)
    return CertificationResult.objects.get(model_id=model_id)


def trained(world: World, right: int) -> str:
    """Return the id of a model that is right for so many of a thousand training rows."""
    training = world.trainable(question_bits_limit=1000)
    return world.swept(training, {"0.1": right})["0.1"]


@pytest.mark.database
def test_the_gap_is_told_where_the_policy_opens_the_table(world: World) -> None:
    study = certifying(world)
    (model_id,) = world.taken_over(study, [trained(world, 802)])
    said = holdout_sentence(judged(world, study, model_id))
    assert said.startswith("Right for 78.9 % of the 90 people it was certified on")
    assert "a constant answer would be right for 56.7 % of them." in said
    assert said.endswith("That is -1.3 points against training.")
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        page = world.clients[who].get(f"/{role}/studies/{study.id}/").content.decode()
        assert said in page


def test_a_model_of_unknown_training_has_no_gap(world: World) -> None:
    study = certifying(world)
    said = holdout_sentence(judged(world, study, world.held_model(study)))
    assert said.startswith("Right for 78.9 % of the 90 people")
    assert "training" not in said


def test_people_of_two_groupings_are_counted_once(world: World) -> None:
    study = certifying(world, groups=[["age"], ["age", "origin"]])
    said = holdout_sentence(judged(world, study, world.held_model(study), n_empty=0))
    assert "of the 180 people" in said


def test_nothing_is_told_without_a_table(world: World) -> None:
    study = certifying(world, disclosure="verdict")
    said = holdout_sentence(judged(world, study, world.held_model(study)))
    assert said.endswith("nobody can tell: the policy opens no table of right decisions.")


def test_a_table_of_selections_alone_says_nothing_of_right_decisions(world: World) -> None:
    study = certifying(world, second=criterion("acceptance_rate_difference", "5"))
    said = holdout_sentence(judged(world, study, world.held_model(study)))
    assert said.endswith("nobody can tell: the policy opens no table of right decisions.")


def test_a_table_of_hidden_groups_alone_has_no_rate(world: World) -> None:
    study = certifying(world)
    said = holdout_sentence(judged(world, study, world.held_model(study), n_empty=2))
    assert "nobody can tell: the policy opens right decisions, but some group has so few" in said
    assert "opens no table" not in said


def test_without_a_verdict_there_is_no_rate(world: World) -> None:
    study = certifying(world)
    result = judged(world, study, world.held_model(study), n_empty=2)
    result.reason = "NOBODY_SELECTED"
    said = holdout_sentence(result)
    assert said.endswith("nobody can tell: without a verdict no count is opened.")
