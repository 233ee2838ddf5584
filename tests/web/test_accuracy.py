"""Right decisions in training and on held-out people."""

from __future__ import annotations

import pytest

from blindjustice_web.presentation.words.accuracy import holdout_sentence
from tests.builders.policies import criterion
from tests.web.accuracy_stories import COUNTS, certifying, judged
from tests.web.stories import World

COUNTS |= {"true_negatives": 41, "false_negatives": 9}


def trained(world: World, right: int) -> str:
    """Return the id of a model that is right for so many of a thousand training rows."""
    training = world.trainable(question_bits_limit=1000)
    return world.swept(training, {"0.1": right})["0.1"]


@pytest.mark.slow
@pytest.mark.database
def test_the_gap_is_told_where_the_policy_opens_the_table(world: World) -> None:
    study = certifying(world)
    (model_id,) = world.taken_over(study, [trained(world, 802)])
    said = holdout_sentence(judged(world, study, model_id))
    assert said.startswith("Right for 78.9 % of the 90 people it was certified on")
    assert "a constant answer would be right for 56.7 % of them." in said
    assert said.endswith("That is -1.3 points against training.")
    for who in ("mo", "rae"):
        page = world.study_page(who, study)
        assert said in page


def test_a_model_of_unknown_training_has_no_gap(world: World) -> None:
    study = certifying(world)
    said = holdout_sentence(judged(world, study, world.held_model(study)))
    assert said.startswith("Right for 78.9 % of the 90 people")
    assert "training" not in said


@pytest.mark.slow
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


@pytest.mark.slow
def test_without_a_verdict_there_is_no_rate(world: World) -> None:
    study = certifying(world)
    result = judged(world, study, world.held_model(study), n_empty=2)
    result.reason = "TOO_FEW_DECIDED"
    said = holdout_sentence(result)
    assert said.endswith("nobody can tell: without a verdict no count is opened.")
