"""Every word of the vocabulary has one label, no label is for another, and pages show labels."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from enum import StrEnum

import pytest
from django.template.loader import render_to_string

from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.labels import (
    LABELS,
    RATE_CRITERIA,
    Comparison,
    CriterionName,
    JobState,
    MissingAnswers,
    PartyRole,
    SmallGroups,
    Stage,
    choices_of,
    sentence_of,
    title_of,
)
from blindjustice_web.presentation.cards.jobs import stage_label
from mpc_engine import vocabulary
from mpc_engine.vocabulary.constraints import ConstraintScope
from tests.web.stories import World

_OF_NO_STUDY: set[type[StrEnum]] = {ConstraintScope}
"""What only the engine and the lab speak of: no page shows it."""

_RAW = re.compile(r"[a-z]+_[a-z_]+|[A-Z]{2,}_?[A-Z_]*|%\(|[{}]")


def _enumerations() -> set[type[StrEnum]]:
    found: set[type[StrEnum]] = {PartyRole}
    for module in pkgutil.iter_modules(vocabulary.__path__, f"{vocabulary.__name__}."):
        loaded = importlib.import_module(module.name)
        classes = (one for _, one in inspect.getmembers(loaded, inspect.isclass))
        found |= {one for one in classes if issubclass(one, StrEnum) and one is not StrEnum}
    return found


def test_every_enumeration_of_the_vocabulary_has_labels() -> None:
    assert set(LABELS) == _enumerations() - _OF_NO_STUDY


@pytest.mark.parametrize("words", LABELS, ids=lambda words: words.__name__)
def test_every_word_has_one_label_and_no_label_is_for_another(words: type[StrEnum]) -> None:
    labels = LABELS[words]
    assert set(labels) == set(words)
    assert all(type(word) is words for word in labels)
    titles = [title_of(word) for word in words]
    assert len(set(titles)) == len(titles)
    if words.__name__ != "Bound":  # its titles are patterns for those of criteria
        assert not [title for title in titles if _RAW.search(title)]
    assert not [word for word in words if _RAW.search(sentence_of(word))]
    assert {value for value, _title in choices_of(words)} == {word.value for word in words}


@pytest.mark.parametrize("stage", Stage)
def test_a_stage_of_a_running_job_is_told_in_plain_words(stage: Stage) -> None:
    said = stage_label(stage.value, JobState.RUNNING)
    assert said == sentence_of(stage)
    assert said[0].isupper()
    assert not said.endswith(".")
    assert said != stage.value


def test_no_text_of_a_party_stands_for_a_stage() -> None:
    assert stage_label("a later stage", JobState.RUNNING) == sentence_of(Stage.OTHER)
    assert stage_label("", JobState.RUNNING) == sentence_of(Stage.SET_UP)
    assert stage_label("counting decisions", JobState.DONE) == ""


@pytest.mark.slow
@pytest.mark.django_db
def test_the_page_of_a_certification_shows_no_raw_stage(world: World) -> None:
    study = world.closed()
    job = world.certification_job(study, world.held_model(study))
    for stage in (Stage.COUNTING_DECISIONS, Stage.VERDICT_AND_SIGNATURE):
        world.parties.modeler.says(
            "job_progress", job_id=job.id, attempt=1, stage=stage.value, done=1, total=4
        )
        assert Job.objects.get(pk=job.id).stage == stage.value
        for who in ("mo", "rae"):
            page = world.study_page(who, study)
            assert f"{sentence_of(stage)}. " in page
            assert f">{stage.value}. " not in page


def test_all_that_a_policy_to_be_signed_holds_has_words_in_the_dialog() -> None:
    page = render_to_string("components/study_texts.html")
    told = dict(re.findall(r'<i data-text="([^"]+)">(.*?)</i>', page))
    for words in (CriterionName, Comparison, SmallGroups, MissingAnswers):
        for word in words:
            assert told[f"word_{word}"] == title_of(word).replace("'", "&#x27;")
    for name in RATE_CRITERIA:
        asked = told[f"asks_{name}"]
        assert "{limit}" in asked
        assert name not in asked
        assert not re.search(r"%\(|%%|_", asked)
