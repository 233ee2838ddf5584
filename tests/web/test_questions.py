from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.engine.engine_client import policy_rule, read_configuration
from blindjustice_web.studies.models import Study
from mpc_engine.control.policies.questions import QuestionEntry
from mpc_engine.vocabulary.runs import QuestionKind
from tests.web.drafts import AUDIT, RECORD_SET, draft, some_id
from tests.web.stories import World

pytestmark = pytest.mark.database

NOBODY_ASKED = "Nothing has been asked of these people yet."


def _entry(study: Study, number: int = 1, **changes: Any) -> QuestionEntry:
    configuration = read_configuration(study.configuration.text)
    entry = QuestionEntry(
        study_id=configuration.study_id,
        kind=QuestionKind.CERTIFICATION,
        job_id=bytes.fromhex(some_id("job")),
        attempt=1,
        cohort=bytes.fromhex(RECORD_SET),
        n_people=3,
        rule=policy_rule(configuration),
        model_id=bytes.fromhex(some_id("model")),
        millibits=4000,
        number=number,
    )
    return replace(entry, **changes)


def _says(party: Any, entry: QuestionEntry, outcome: str, **changes: Any) -> bool:
    values: dict[str, Any] = {
        "study_id": entry.study_id.hex(),
        "entry": entry.text,
        "asked_at": "2026-01-31T12:00:00Z",
        "outcome": outcome,
        "spent_millibits": 4000 * entry.number,
        "limit_millibits": 64000,
        **changes,
    }
    said: bool = party.says("question", **values)
    return said


def _ledger(world: World, study: Study, who: str = "anonymous") -> Any:
    answer = world.get(who, f"/studies/{study.id}/questions")
    assert answer.status_code == 200, answer.content
    return answer.json()


def _both(world: World, entry: QuestionEntry, *outcomes: str) -> None:
    for outcome in outcomes:
        for party in world.parties:
            assert _says(party, entry, outcome)


def test_everybody_may_read_what_was_asked_and_check_who_says_so(world: World) -> None:
    study = world.closed()
    assert _ledger(world, study) == {
        "questions": [],
        "spent_millibits": 0,
        "limit_millibits": 64000,
        "models_asked": 0,
        "models_limit": 16,
        "agreement": "yes",
        "takes_answers": False,
    }
    entry = _entry(study)
    _both(world, entry, "RUNNING", "FAIL")
    ledger = _ledger(world, study)
    (question,) = ledger["questions"]
    assert (question["kind"], question["outcome"], question["millibits"]) == (
        "certification",
        "FAIL",
        4000,
    )
    assert "80" in question["asked"]
    assert "10\u00a0points" in question["asked"]
    assert (question["n_people"], question["agreement"]) == (3, "yes")
    assert [row["role"] for row in question["statements"]] == ["regulator", "modeler"]
    for statement in question["statements"]:
        assert f'"outcome":"{statement["outcome"]}"' in statement["body"]
        assert len(statement["signature"]) == 128
    assert (ledger["spent_millibits"], ledger["limit_millibits"]) == (4000, 64000)


@pytest.mark.parametrize(
    ("who", "path"),
    [
        ("anonymous", "/take-part/{}/"),
        ("mo", "/modeler/studies/{}/"),
        ("rae", "/regulator/studies/{}/"),
    ],
)
def test_the_pages_of_a_study_list_its_questions(world: World, who: str, path: str) -> None:
    study = world.closed()
    url = path.format(study.id)
    assert NOBODY_ASKED in world.page(who, url)
    _both(world, _entry(study), "RUNNING", "ABORTED")
    _both(world, _entry(study, 2), "RUNNING", "PASS")
    page = world.page(who, url)
    assert NOBODY_ASKED not in page
    assert page.count('data-testid="question"') == 2
    assert 'data-outcome="ABORTED"' in page
    assert "8 of at most 64, so 56 are left" in page
    assert "questions-disagree" not in page


@pytest.mark.parametrize(
    ("modeler", "regulator"),
    [
        (({}, "FAIL"), ({}, "PASS")),
        (({"millibits": 3999}, "FAIL"), ({}, "FAIL")),
        (({"n_people": 2}, "FAIL"), ({}, "FAIL")),
        (({"rule": bytes(32)}, "FAIL"), ({}, "FAIL")),
    ],
)
def test_parties_that_say_different_things_are_shown_to_do_so(
    world: World, modeler: Any, regulator: Any
) -> None:
    study = world.closed()
    for party, (changes, outcome) in zip(world.parties, (modeler, regulator), strict=True):
        assert _says(party, _entry(study, **changes), outcome)
    assert _ledger(world, study)["agreement"] == "no"
    page = world.page("anonymous", f"/take-part/{study.id}/")
    assert "questions-disagree" in page


def test_it_is_told_how_many_models_were_asked_about(world: World) -> None:
    study = world.closed(policy={**AUDIT, "questions": 3}, question_bits_limit=1000)
    _both(world, _entry(study), "RUNNING", "ABORTED")
    _both(world, _entry(study, 2), "RUNNING", "FAIL")
    other = bytes.fromhex(some_id("other"))
    _both(world, _entry(study, 3, model_id=other), "RUNNING", "REFUSED")
    trained = bytes.fromhex(some_id("trained"))
    _both(world, _entry(study, 4, model_id=trained, kind=QuestionKind.TRAINING), "RUNNING")
    ledger = _ledger(world, study)
    assert (ledger["models_asked"], ledger["models_limit"]) == (2, 3)
    page = world.page("anonymous", f"/take-part/{study.id}/")
    assert (
        "Models that were asked about in this study: 2. Neither party asks about more than 3"
        in page
    )


def test_a_certification_of_one_model_too_many_is_not_proposed(world: World) -> None:
    """One that was charged and has no answer may be put up again: it is no other question."""
    study = world.closed(policy={**AUDIT, "questions": 1}, question_bits_limit=1000)
    asked, other = (world.held_model(study, name) for name in ("Model A", "Model B"))
    _both(world, _entry(study, model_id=bytes.fromhex(asked)), "RUNNING", "ABORTED")
    path = f"/studies/{study.id}/certifications"
    answer = world.post("mo", path, {"model_id": other})
    assert (answer.status_code, answer.json()["code"]) == (409, "QUESTIONS_SPENT")
    assert not study.proposals.filter(kind="certification").exists()
    shown = world.clients["mo"].get(f"/modeler/studies/{study.id}/").context["models"]
    assert {one.id: one.can_certify for one in shown} == {asked: True, other: False}
    proposed = world.post("mo", path, {"model_id": asked})
    assert proposed.status_code == 201
    rows = world.get("rae", f"/proposals/{proposed.json()['id']}").json()["says"]
    (said,) = (row["text"] for row in rows if row["label"] == "Models")
    assert said.startswith("Other models that were asked about: 0. With this one there may be 1")


def test_a_challenge_in_the_line_is_no_model_that_is_asked_about(world: World) -> None:
    certificate = world.certified(policy={**draft()["policy"], "questions": 2})
    study = certificate.study
    judged = bytes.fromhex(certificate.model.id)
    _both(world, _entry(study, model_id=judged), "RUNNING", "PASS")
    challenge_id = world.challenge("uma", certificate)
    assert world.challenge_read(certificate, challenge_id)
    assert study.jobs.filter(kind="verification", state__in=("QUEUED", "RUNNING")).exists()
    model_id = world.held_model(study, "Model B")
    answer = world.post("mo", f"/studies/{study.id}/certifications", {"model_id": model_id})
    assert answer.status_code == 201, answer.content


def test_one_partys_word_waits_for_the_others(world: World) -> None:
    study = world.closed()
    assert _says(world.parties.modeler, _entry(study), "RUNNING")
    assert _ledger(world, study)["agreement"] == "waiting"
    assert _says(world.parties.regulator, _entry(study), "FAIL")
    assert _ledger(world, study)["agreement"] == "waiting"
    assert _says(world.parties.modeler, _entry(study), "FAIL")
    assert _ledger(world, study)["agreement"] == "yes"


def test_a_party_that_signs_two_entries_under_one_number_is_shown_to_do_so(world: World) -> None:
    study = world.closed()
    _both(world, _entry(study), "RUNNING", "FAIL")
    assert _says(world.parties.modeler, _entry(study, millibits=1), "FAIL")
    ledger = _ledger(world, study)
    assert (ledger["agreement"], ledger["questions"][0]["millibits"]) == ("no", 4000)


def test_a_party_that_changes_its_answer_is_shown_to_do_so(world: World) -> None:
    study = world.closed()
    _both(world, _entry(study), "RUNNING", "FAIL")
    assert _says(world.parties.modeler, _entry(study), "PASS")
    ledger = _ledger(world, study)
    assert (ledger["agreement"], ledger["questions"][0]["outcome"]) == ("no", "FAIL")


def test_an_answer_is_not_taken_back_by_an_older_message(world: World) -> None:
    study = world.closed()
    _both(world, _entry(study), "FAIL")
    _both(world, _entry(study), "RUNNING", "ABORTED")
    assert [q["outcome"] for q in _ledger(world, study)["questions"]] == ["FAIL"]


def test_an_aborted_question_may_get_its_answer_later(world: World) -> None:
    study = world.closed()
    _both(world, _entry(study), "RUNNING", "ABORTED", "PASS")
    assert [q["outcome"] for q in _ledger(world, study)["questions"]] == ["PASS"]


def test_the_lower_limit_of_two_operators_is_shown(world: World) -> None:
    study = world.closed()
    assert _ledger(world, study)["limit_millibits"] == 64000
    world.limits(question_bits_limit=32)
    assert _ledger(world, study)["limit_millibits"] == 32000
    page = world.study_page("mo", study)
    assert "<dt>All answers may tell</dt><dd>32 bits</dd>" in page


def test_a_question_of_another_study_is_refused(world: World) -> None:
    study = world.closed()
    stranger = _entry(study, study_id=bytes(16))
    assert not _says(world.parties.modeler, stranger, "FAIL")
    assert not _says(world.parties.modeler, stranger, "FAIL", study_id=study.id)
    assert _ledger(world, study)["questions"] == []


def test_another_rule_than_the_policy_and_a_training_are_said_in_words(world: World) -> None:
    study = world.closed()
    _both(world, _entry(study, rule=bytes(32)), "FAIL")
    _both(world, _entry(study, 2, kind=QuestionKind.TRAINING), "MODEL_OPENED")
    first, second = (question["asked"] for question in _ledger(world, study)["questions"])
    assert "not this study's policy" in first
    assert "Train a model" in second


def test_a_study_that_is_not_approved_has_no_list(world: World) -> None:
    study = world.drafted()
    assert world.get("mo", f"/studies/{study.id}/questions").status_code == 404
    assert "questions-title" not in world.study_page("mo", study)


def test_a_certificate_says_how_many_other_questions_were_asked(world: World) -> None:
    study = world.closed()
    old = world.judged(study, "Old model", ("FAIL",) * 5).subject_id
    new = world.judged(study, "New model").subject_id
    page = f"/certificates/{Certificate.objects.get().id}/"
    assert "other-questions" not in world.page("anonymous", page)
    told = [(old, "FAIL"), (new, "ABORTED"), (new, "PASS")]
    for number, (model_id, outcome) in enumerate(told, 1):
        _both(world, _entry(study, number, model_id=bytes.fromhex(model_id)), "RUNNING", outcome)
    answer = world.clients["anonymous"].get(page)
    assert answer.context["n_other_questions"] == 2
    assert "2 other questions were asked of the same people." in answer.content.decode()
    assert "Old model" not in world.get("anonymous", f"/studies/{study.id}/questions").text


@pytest.mark.parametrize("page", ["/take-part/{id}/", "/modeler/studies/{id}/"])
def test_a_study_that_trains_says_nothing_of_verdicts_or_of_their_number(
    world: World, page: str
) -> None:
    study = world.trainable()
    shown = world.clients["mo"].get(page.format(id=study.id))
    assert shown.status_code == 200
    said = re.sub(r"<i data-text=.*?</i>", "", shown.content.decode(), flags=re.DOTALL)
    assert "This study trains models" in said
    for words in ("study of verdicts", "nothing else", "may be asked about", "models-asked"):
        assert words not in said
    assert _ledger(world, study)["models_limit"] is None
