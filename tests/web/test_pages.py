"""Pages in each state of a study: they render, and say what their reader needs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.jobs.models import Job
from blindjustice_web.studies.models import Study
from tests.web import tables
from tests.web.drafts import draft, some_id, terms
from tests.web.stories import World


def _page(world: World, who: str, path: str) -> Any:
    answer = world.clients[who].get(path)
    assert answer.status_code == 200, path
    data = answer.context.get("page_data")
    if data is not None:
        assert 'id="page-data"' in answer.content.decode() or "partial=1" in path
        assert data["csrf"]
        json.dumps(data)
    return answer


def _study_pages(world: World, study: Study) -> dict[str, Any]:
    pages = {}
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        path = f"/{role}/studies/{study.id}/"
        pages[role] = _page(world, who, path)
        assert _page(world, who, f"{path}?partial=1").context["live"].partial == f"{path}?partial=1"
        _page(world, who, f"/{role}/")
    return pages


def _told(world: World, study: Study) -> Any:
    """Return the study as both pages show it, after checking that they agree."""
    pages = _study_pages(world, study)
    return pages["modeler"].context, pages["regulator"].context


def test_a_draft_can_be_submitted_by_its_modeler(world: World) -> None:
    modeler, regulator = _told(world, world.drafted())
    assert modeler["can"]["submit"]
    assert not regulator["can"]["submit"]
    assert modeler["study"].to_do
    assert not modeler["study"].frozen
    assert modeler["study"].attributes[0].categories[-1].name == "prefer_not_to_say"


@pytest.mark.database
def test_a_frozen_study_waits_for_approvals(world: World) -> None:
    study = world.submitted()
    modeler, regulator = _told(world, study)
    for context in (modeler, regulator):
        (proposal,) = context["proposals"]
        assert proposal.can_approve
        assert [role.value for role in proposal.waiting_for] == ["modeler", "regulator"]
        assert context["study"].digest == study.configuration.digest
        assert not context["study"].frozen
    assert len(_page(world, "rae", "/regulator/").context["waiting"]) == 1


def test_an_open_study_invites_and_closes(world: World) -> None:
    study = world.opened()
    modeler, regulator = _told(world, study)
    assert modeler["study"].frozen
    assert (modeler["can"]["invite"], regulator["can"]["invite"]) == (True, False)
    assert modeler["can"]["close"]
    assert modeler["can"]["hand_in_model"]
    assert modeler["why_not"]["certify"]
    assert modeler["page_data"]["urls"]["take_part"].endswith(f"/take-part/{study.id}/")


def test_counts_follow_the_answers(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    modeler, _ = _told(world, study)
    view = modeler["study"]
    assert (view.n_invited, view.n_submitted, view.n_records) == (3, 1, 1)


@pytest.mark.slow
def test_a_running_job_shows_its_progress(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    job = world.closing_job(study)
    world.parties.modeler.says(
        "job_progress", job_id=job.id, attempt=1, stage="checking answers", done=1, total=4
    )
    modeler, _ = _told(world, study)
    (view,) = modeler["jobs"]
    assert view.is_live
    assert view.percent == 25
    assert view.stage_label != "checking answers"


@pytest.mark.slow
def test_a_failed_job_says_what_to_do(world: World) -> None:
    study, records = world.invited()
    world.answered(study, records[0])
    job = world.closing_job(study)
    for party in world.parties:
        party.says("job_failed", job_id=job.id, attempt=1, code="OT_INCONSISTENT", sentence="No.")
    modeler, _ = _told(world, study)
    (view,) = modeler["jobs"]
    assert view.failure.code == "OT_INCONSISTENT"
    assert view.failure.next


def test_a_judged_model_shows_its_verdict(world: World) -> None:
    study = world.closed()
    world.judged(study, "Old", ("FAIL",) * 5)
    world.judged(study, "New")
    modeler, regulator = _told(world, study)
    models = {model.name: model for model in modeler["models"]}
    assert models["Old"].verdict.verdict.value == "FAIL"
    assert models["New"].certificate_url
    assert models["New"].can_deploy
    assert not any(model.can_deploy for model in regulator["models"])
    assert {job.model_name for job in modeler["jobs"]} == {"", "Old", "New"}
    assert len(modeler["proposals"]) == 4


def test_putting_a_model_in_use_says_whether_anybody_judged_it(world: World) -> None:
    study = world.closed()
    world.judged(study, "Judged")
    world.held_model(study, "New")
    until = Certificate.objects.get().valid_until
    for valid_until, status in ((until, "Valid"), (timezone.now(), "Expired")):
        Certificate.objects.update(valid_until=valid_until)
        page = _page(world, "mo", f"/modeler/studies/{study.id}/").content.decode()
        said = dict(re.findall(r'data-name="(\w+)" data-judged="([^"]*)"', page))
        assert said == {
            "Judged": f"It has a certificate. Status: {status}.",
            "New": "Nobody has judged this model: it has no certificate.",
        }


def test_a_study_whose_table_was_committed_to_counts_no_uploaded_rows(world: World) -> None:
    study = world.opened(
        data_holder="modeler",
        data_source="file",
        data_commitment={"root": "ab" * 32, "rows": 30},
    )
    page = _page(world, "mo", f"/modeler/studies/{study.id}/").content.decode()
    assert "a table of 30 rows that was fixed beforehand" in page
    assert "0 rows have been accepted" not in page


def test_an_undetermined_verdict_has_a_reason_in_words(world: World) -> None:
    study = world.closed()
    world.judged(study, verdicts=("UNDETERMINED",) * 5)
    modeler, _ = _told(world, study)
    (model,) = modeler["models"]
    assert model.verdict.reason == "TOO_FEW_ANSWERS"
    assert model.verdict.reason_sentence != "TOO_FEW_ANSWERS"


def test_take_part_shows_questions_and_no_role(world: World) -> None:
    study = world.opened()
    answer = _page(world, "anonymous", f"/take-part/{study.id}/")
    assert answer.context["is_open"]
    assert answer.context["asks_features"]
    assert answer.context["page_data"]["configuration_digest"] == study.configuration.digest
    assert _page(world, "mo", f"/take-part/{study.id}/").context["study"].url == ""


def test_nobody_is_promised_what_no_one_does(world: World) -> None:
    study = world.opened()
    pages = {
        path: _page(world, who, path).content.decode()
        for who, path in (
            ("anonymous", f"/take-part/{study.id}/"),
            ("mo", f"/modeler/studies/{study.id}/"),
            ("mo", "/modeler/studies/new/"),
        )
    }
    assert all("by itself yet" in page for page in pages.values())
    person = pages[f"/take-part/{study.id}/"]
    assert "not sent anywhere" not in person
    assert "the site is asked only for the number of your record" in person


def test_take_part_says_that_a_study_is_closed(world: World) -> None:
    study = world.closed()
    answer = _page(world, "anonymous", f"/take-part/{study.id}/")
    assert not answer.context["is_open"]
    assert answer.context["closed_sentence"]


def test_nobody_takes_part_before_both_approved(world: World) -> None:
    study = world.submitted()
    assert Client().get(f"/take-part/{study.id}/").status_code == 404


def test_the_form_of_a_challenge_has_what_the_browser_seals_to(world: World) -> None:
    certificate = world.certified()
    choose = _page(world, "uma", "/me/challenges/new/")
    assert choose.context["page_data"]["certificate"] is None
    assert [card.id for card in choose.context["certificates"]] == [certificate.id]
    form = _page(world, "uma", f"/me/challenges/new/?certificate={certificate.id}")
    assert form.context["page_data"]["certificate"]["id"] == certificate.id
    assert form.context["typed_left"] == 2
    for odd in ("x", "'", some_id("none")):
        status = world.clients["uma"].get(f"/me/challenges/new/?certificate={odd}").status_code
        assert status in {200, 404}


@pytest.mark.slow
@pytest.mark.parametrize("outcome", ["", "CONFIRMED", "DIFFERENT_MODEL"])
def test_a_case_is_shown_to_its_owner_and_the_regulator(world: World, outcome: str) -> None:
    certificate = world.certified()
    challenge_id = world.challenge("uma", certificate)
    if outcome:
        world.challenge_read(certificate, challenge_id)
        world.verification_result(Job.objects.get(kind="verification"), {challenge_id: outcome})
    page = _page(world, "uma", f"/me/challenges/{challenge_id}/")
    card = page.context["challenge"]
    assert (card.outcome.value if card.outcome else "") == outcome
    assert bool(page.context["receipt"]) == bool(outcome)
    _page(world, "uma", f"/me/challenges/{challenge_id}/?partial=1")
    assert len(_page(world, "uma", "/me/").context["challenges"]) == 1
    assert not _page(world, "umar", "/me/").context["challenges"]
    (seen,) = _page(world, "rae", "/regulator/challenges/").context["challenges"]
    assert seen.url == ""


def test_the_start_page_names_both_parties(world: World) -> None:
    world.certified()
    context = _page(world, "anonymous", "/").context
    assert [party.role.value for party in context["parties"]] == ["modeler", "regulator"]
    assert context["n_certificates"] == Certificate.objects.count() == 1


def test_pages_work_before_any_party_is_set_up(world: World, settings: Any) -> None:
    for path in settings.PUBLIC_DIR.glob("*.json"):
        path.unlink()
    study = world.drafted()
    _study_pages(world, study)
    for who, path in (("mo", "/modeler/key/"), ("rae", "/regulator/key/"), ("anonymous", "/")):
        _page(world, who, path)
    assert _page(world, "mo", "/modeler/").context["to_do"]


def test_a_broken_descriptor_does_not_break_the_site(world: World, settings: Any) -> None:
    (settings.PUBLIC_DIR / "modeler.json").write_bytes(b"\xff{")
    assert Client().get("/").status_code == 200


def test_other_forms_render(world: World) -> None:
    study = world.opened()
    assert _page(world, "mo", "/modeler/studies/new/").context["page_data"]["regulators"]
    _page(world, "mo", f"/modeler/studies/{study.id}/models/new/")
    for who, path in (("mo", "/modeler/key/"), ("rae", "/regulator/key/")):
        page = _page(world, who, path)
        assert len(page.context["approvers"]) == 1


def test_what_people_write_is_escaped(world: World) -> None:
    study = world.drafted(title="<script>alert(1)</script>", purpose="</script><b>")
    page = _page(world, "mo", f"/modeler/studies/{study.id}/")
    assert b"<script>alert(1)" not in page.content
    assert b"</script><b>" not in page.content


def test_a_missing_page_is_a_404_page(world: World) -> None:
    answer = Client().get("/nowhere/")
    assert answer.status_code == 404
    assert b"<html" in answer.content


def test_a_one_hot_column_is_asked_once_where_its_first_feature_is(world: World) -> None:
    words = [one for one in tables.features() if one.get("category", {}).get("column") == "region"]
    features = [words[0], *draft()["features"], *words[1:]]
    study, _records = world.invited(1, features=features)
    answer = _page(world, "anonymous", f"/take-part/{study.id}/")
    fields = answer.context["study"].feature_fields
    assert [(field.name, field.column, field.title) for field in fields] == [
        ("region", "region", "Region"),
        ("duration", "", "Duration in months"),
    ]
    assert list(fields[0].values) == tables.CATEGORIES["Region"]
    assert len(answer.context["study"].features) == len(features)


def test_a_feature_of_0_and_1_in_whole_steps_is_asked_as_yes_or_no(world: World) -> None:
    yes_no = {"name": "owns_home", "title": "Owns a home", "minimum": "0", "maximum": "1"}
    features = [{**yes_no, "unit": "1"}, {**yes_no, "name": "share", "unit": "0.1"}]
    study, _records = world.invited(1, features=[*draft()["features"], *features])
    answer = _page(world, "anonymous", f"/take-part/{study.id}/")
    asked = {field.name: field.is_yes_no for field in answer.context["study"].feature_fields}
    assert asked == {"duration": False, "owns_home": True, "share": False}
    page = answer.content.decode()
    assert '<fieldset class="choices" id="feature-owns_home"' in page
    assert page.count("A number from 0 to 1<") == 1


def test_a_column_of_other_titles_is_called_by_its_name(world: World) -> None:
    words = [one for one in tables.features() if one.get("category", {}).get("column") == "region"]
    titled = [{**one, "title": f"Lives in the {one['category']['value']}?"} for one in words]
    study, _records = world.invited(1, features=titled)
    answer = _page(world, "anonymous", f"/take-part/{study.id}/")
    assert [field.title for field in answer.context["study"].feature_fields] == ["region"]


def test_people_are_told_that_counts_of_groups_are_opened(world: World) -> None:
    table = {**terms()["policy"], "kind": "published", "disclosure": "table"}
    told, untold = "how many people each group has, and", "nor how many said what"
    published = "numbers by group are published"
    for changes, said, unsaid in (({}, untold, told), ({"policy": table}, told, untold)):
        study, _records = world.invited(1, **changes)
        page = _page(world, "anonymous", f"/take-part/{study.id}/").content.decode()
        assert said in page
        assert unsaid not in page
        assert (published in page) is (said == told)
        assert "models can be asked about" in page
