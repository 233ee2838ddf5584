from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mpc_engine.control.policies.questions import QuestionEntry, rule_digest
from mpc_engine.control.studies.configuration import Configuration, parse_configuration
from mpc_engine.errors import UsageError
from mpc_engine.party.ledger import entries
from mpc_engine.party.ledger.asking import Asking, prepare_questions
from mpc_engine.party.ledger.cohorts import n_different
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import QuestionKind
from tests.builders.study_drafts import make_draft
from tests.engine.party.stories import MODEL_ID, certify, closed_study, hand_in
from tests.engine.party.world import R, World, record

FLOOR = 3


def _policy(floor: int = FLOOR, **changes: Any) -> dict[str, Any]:
    return {**make_draft()["policy"], "minimum_group": floor, **changes}


def _asking(
    world: World,
    study: Configuration,
    cohort: bytes,
    people: Sequence[int],
    role: Role = R,
    **changes: Any,
) -> Asking:
    question = QuestionEntry(
        study_id=study.study_id,
        kind=QuestionKind.TRAINING,
        job_id=cohort[:16],
        attempt=0,
        cohort=cohort,
        n_people=len(people),
        rule=rule_digest(study.policy.to_json()),
        model_id=MODEL_ID,
        millibits=1500,
    )
    question = replace(question, **changes)
    return Asking(world.parties[role], study, question, [record(number) for number in people])


def _code(asking: Asking) -> str:
    try:
        prepare_questions(asking._party, [asking])
    except UsageError as error:
        return error.code
    return ""


@pytest.fixture
def asked(world: World) -> Configuration:
    """Return a study of eight people, all of whom were asked about in a certification."""
    study, record_set = closed_study(world, n_people=8, policy=_policy(questions=2))
    hand_in(world, study, MODEL_ID, "0.5", "0")
    assert certify(world, study, record_set)[R].kind == "job_result"
    return study


@pytest.mark.parametrize(
    ("people", "code"),
    [
        (range(7), "COHORT_TOO_SIMILAR"),
        (range(6), "COHORT_TOO_SIMILAR"),
        (range(5), ""),
        (range(8), "COHORT_TOO_SIMILAR"),
        ([0, 1, 2], ""),
    ],
)
@pytest.mark.parametrize("role", Role)
def test_a_cohort_that_differs_by_fewer_than_the_floor_is_refused_at_both_parties(
    world: World, asked: Configuration, people: Sequence[int], code: str, role: Role
) -> None:
    assert _code(_asking(world, asked, b"t" * 32, people, role)) == code


def test_parts_are_held_against_each_other_too(world: World, asked: Configuration) -> None:
    first = _asking(world, asked, b"1" * 32, range(4))
    prepare_questions(world.parties[R], [first])
    first._charge(1, is_paid=False)
    assert _code(_asking(world, asked, b"2" * 32, range(4, 8))) == ""
    assert _code(_asking(world, asked, b"2" * 32, [0, 1, 2, 4])) == "COHORT_TOO_SIMILAR"
    assert _code(_asking(world, asked, b"1" * 32, range(4))) == ""


def _second_study(
    world: World, first: Configuration, role: Role, *, records: dict[bytes, bytes], **changes: Any
) -> Configuration:
    """Let a party know another study; ``records`` names its people after those of the first."""
    other = parse_configuration(
        json.dumps(
            {**json.loads(first.text), "study_id": "ab" * 16, **changes},
            sort_keys=True,
            separators=(",", ":"),
        )
    )
    with world.parties[role].database.transaction() as connection:
        connection.execute(
            "INSERT INTO studies (study_id, configuration, state) VALUES (?, ?, 'CLOSED')",
            (other.study_id, other.text),
        )
        for own, known in records.items():
            for table, column in (("owners", "owner_key"), ("credentials", "credential")):
                connection.execute(
                    f"INSERT INTO {table} (study_id, record_id, {column})"
                    f" SELECT ?, ?, {column} FROM {table} WHERE study_id = ? AND record_id = ?",
                    (other.study_id, own, first.study_id, known),
                )
    return other


def test_people_are_recognised_in_another_study_by_record_key_or_invitation(
    world: World, asked: Configuration
) -> None:
    renamed = {record(100 + number): record(number) for number in range(7)}
    other = _second_study(world, asked, R, records=renamed)
    assert _code(_asking(world, other, b"o" * 32, range(7))) == "COHORT_TOO_SIMILAR"
    assert _code(_asking(world, other, b"o" * 32, range(100, 107))) == "COHORT_TOO_SIMILAR"
    assert _code(_asking(world, other, b"o" * 32, range(100, 105))) == ""


def test_the_greater_floor_of_two_studies_holds(world: World, asked: Configuration) -> None:
    other = _second_study(world, asked, R, records={}, policy=_policy(2))
    assert _code(_asking(world, other, b"o" * 32, range(6))) == "COHORT_TOO_SIMILAR"
    assert _code(_asking(world, other, b"o" * 32, range(4))) == ""
    stricter = replace(other, policy=replace(other.policy, minimum_group=5))
    assert _code(_asking(world, stricter, b"o" * 32, range(4))) == "COHORT_TOO_SIMILAR"


def test_the_same_people_in_another_study_share_one_count(
    world: World, asked: Configuration
) -> None:
    renamed = {record(100 + number): record(number) for number in range(8)}
    other = _second_study(world, asked, R, records=renamed)
    again = _asking(world, other, b"o" * 32, range(100, 108))
    prepare_questions(world.parties[R], [again])
    again._charge(0, is_paid=False)
    with world.parties[R].database.reading() as connection:
        assert entries.spent_millibits(connection, other.study_id) == 3907 + 1500
        assert entries.spent_millibits(connection, asked.study_id) == 3907 + 1500
    tight = replace(other, question_bits_limit=6)
    assert _code(_asking(world, tight, b"p" * 32, range(200, 210))) == "QUESTION_BITS_SPENT"


def _certification(
    world: World,
    study: Configuration,
    cohort: bytes,
    people: Sequence[int],
    model_id: bytes,
    **more: Any,
) -> Asking:
    kind = QuestionKind.CERTIFICATION
    changes = {"kind": kind, "model_id": model_id, "job_id": model_id, **more}
    return _asking(world, study, cohort, people, **changes)


def test_of_two_certifications_at_once_one_is_asked_where_one_more_may_be(world: World) -> None:
    study, cohort = closed_study(world, n_people=8, policy=_policy(questions=1))
    first, second = (_certification(world, study, cohort, range(8), n * 16) for n in (b"1", b"2"))
    assert (_code(first), _code(second)) == ("", "")
    first._charge(0, is_paid=False)
    with pytest.raises(UsageError) as caught:
        second._charge(1, is_paid=False)
    assert caught.value.code == "QUESTIONS_SPENT"
    with world.parties[R].database.reading() as connection:
        last = entries.last_entry(connection, study.study_id)
        assert last is not None
        assert (last.number, last.model_id) == (1, b"1" * 16)
    assert (_code(first), _code(second)) == ("", "QUESTIONS_SPENT")


def test_the_same_people_in_another_study_share_one_number_of_models(
    world: World, asked: Configuration
) -> None:
    renamed = {record(100 + number): record(number) for number in range(8)}
    other = _second_study(world, asked, R, records=renamed, policy=_policy(questions=1))
    people = range(100, 108)
    assert _code(_certification(world, other, b"o" * 32, people, b"2" * 16)) == "QUESTIONS_SPENT"
    assert _code(_asking(world, other, b"o" * 32, people)) == ""
    wider = replace(other, policy=replace(other.policy, questions=2))
    second = _certification(world, wider, b"o" * 32, people, b"2" * 16)
    assert _code(second) == ""
    second._charge(0, is_paid=False)
    third = _certification(world, wider, b"o" * 32, people, b"3" * 16)
    assert _code(third) == "QUESTIONS_SPENT"
    many = replace(wider, policy=replace(other.policy, questions=16))
    assert _code(_certification(world, many, b"o" * 32, people, b"3" * 16)) == "QUESTIONS_SPENT"
    narrow = replace(asked, policy=replace(asked.policy, questions=1))
    with world.parties[R].database.transaction() as connection:
        connection.execute("UPDATE questions SET answer = NULL, outcome = 'ABORTED'")
        charged = entries.certifications_charged(connection, asked.study_id)
    assert len(charged) == 2
    ((_, cohort, rule, model_id),) = (one for one in charged if one[0] == asked.study_id)
    again = _certification(world, narrow, cohort, range(8), model_id, rule=rule)
    assert _code(again) == ""


def test_a_study_that_trains_limits_no_other_study(world: World, asked: Configuration) -> None:
    renamed = {record(100 + number): record(number) for number in range(8)}
    trains = _second_study(
        world, asked, R, records=renamed, policy=_policy(questions=1), data_holder="modeler"
    )
    _asking(world, trains, b"o" * 32, range(100, 108))._charge(0, is_paid=False)
    with world.parties[R].database.reading() as connection:
        (last,) = connection.execute(
            "SELECT cohort FROM questions WHERE study_id = ?", (asked.study_id,)
        ).fetchone()
    second = _certification(world, asked, last, range(8), b"2" * 16)
    assert _code(second) == ""


def test_people_in_one_cohort_only_are_counted_both_ways() -> None:
    people = [(bytes([n]) * 16, bytes([n + 50]) * 16, bytes([n + 100]) * 16) for n in range(5)]
    moved = [(bytes([n + 200]) * 16, *person[1:]) for n, person in enumerate(people)]
    assert n_different(people, people, by_record=True) == 0
    assert n_different(people, moved, by_record=False) == 0
    assert n_different(people, moved, by_record=True) == 10
    assert n_different(people, people[1:], by_record=False) == 1
    assert n_different(people[1:], people[:-1], by_record=False) == 2
