"""Policies that regulators publish, and the editor's fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from blindjustice_web.accounts.models import Membership, Organisation, Role, User
from blindjustice_web.audit.models import AuditEntry
from blindjustice_web.studies.models import ImmutableError, PublishedPolicy
from blindjustice_web.studies.policy_fields import AboutFields, short_name
from tests.web.drafts import draft, terms
from tests.web.stories import World

FIELDS: dict[str, Any] = {
    "title": "Age in lending",
    "start": "four_fifths",
    "attribute_title": ["Age group"],
    "attribute_question": ["How old are you?"],
    "attribute_name": ["age"],
    "attribute_categories": ["over_25: Over 25\nup_to_25: 25 or younger"],
    "label_title": "Credit",
    "label_name": "",
    "label_favourable": "good credit",
    "label_unfavourable": "bad credit",
    "kind": "verdict",
    "questions": "2",
    "criterion": ["p_rule"],
    "thresholds": ["80"],
    "certify_at": ["80"],
    "comparison": "each_pair",
    "scope": "each",
    "groups": "",
    "minimum_group": "20",
    "minimum_decided": "10",
    "minimum_percent": "0",
    "small_groups": "undetermined",
    "missing_answers": "left_out",
    "disclosure": "verdict",
    "minimum_answers": "40",
    "question_bits_limit": "64",
}

TABLE = {"kind": "published", "disclosure": "table"}
EXCLUDED = {"small_groups": "excluded"}
AT_TWO = {"thresholds": ["2"], "certify_at": ["2"]}


def post(world: World, who: str = "rae", then: str = "publish", **changes: Any) -> Any:
    """Post the regulator's form."""
    return world.clients[who].post(
        "/regulator/policies/publish/", {**FIELDS, "then": then, **changes}
    )


def faults(answer: Any) -> dict[str, str]:
    """Return what the page says is wrong, by field."""
    return dict(answer.context["editor"].faults)


def test_the_form_publishes_what_the_api_takes(world: World) -> None:
    answer = post(world)
    assert answer.status_code == 302
    policy = PublishedPolicy.objects.get()
    assert policy.published_by == world.users["rae"]
    assert json.loads(policy.terms) == terms()
    page = world.clients["rae"].get(answer.url)
    assert page.context["policy"].title == "Age in lending"
    assert page.context["policy"].sentences[0].startswith("A certificate says")


def test_a_study_made_with_it_is_told_to_be_so_and_another_is_not(world: World) -> None:
    world.published()
    same = world.drafted(policy=terms()["policy"])
    page = world.clients["rae"].get(f"/regulator/studies/{same.id}/")
    assert page.context["published_as"].title == "Age in lending"
    assert (
        page.context["study"].policy.sentences
        == (world.get("anonymous", "/policies").json()[0]["sentences"])
    )
    changed = world.drafted(policy={**terms()["policy"], "minimum_group": 19})
    page = world.clients["rae"].get(f"/regulator/studies/{changed.id}/")
    assert page.context["published_as"] is None


def test_a_study_made_with_a_policy_is_told_that_it_was_withdrawn(world: World) -> None:
    first = world.published()
    study = world.drafted(policy=terms()["policy"])
    world.clients["rae"].post(f"/regulator/policies/{first}/withdraw/")
    for who, side in (("mo", "modeler"), ("rae", "regulator")):
        page = world.clients[who].get(f"/{side}/studies/{study.id}/")
        assert page.context["published_as"].id == first
        assert "and withdrew on" in page.content.decode()
    second = world.published()
    page = world.clients["rae"].get(f"/regulator/studies/{study.id}/")
    assert page.context["published_as"].id == second
    assert "and withdrew on" not in page.content.decode()
    world.published(title="The same under a later name")
    world.clients["rae"].post(f"/regulator/policies/{second}/withdraw/")
    page = world.clients["rae"].get(f"/regulator/studies/{study.id}/")
    assert page.context["published_as"].title == "The same under a later name"


def test_another_policy_is_composed_from_one_s_own_withdrawn_one(world: World) -> None:
    policy = world.published()
    world.clients["rae"].post(f"/regulator/policies/{policy}/withdraw/")
    form = f"/regulator/policies/new/?start={policy}"
    editor = world.clients["rae"].get(form).context["editor"]
    assert editor.as_json["terms"] == terms()
    assert editor.start == ""
    body = {"then": "start", "start": policy, "about": "{}"}
    told = world.clients["mo"].post("/modeler/policy/", body).context["editor"].as_json
    assert (told["regulator"], told["terms"]["attributes"]) == ("", [])
    other = Organisation.objects.create(name="Another Authority", role=Role.REGULATOR)
    PublishedPolicy.objects.update(regulator=other)
    editor = world.clients["rae"].get(form).context["editor"]
    assert editor.as_json["terms"]["label"] != terms()["label"]


def test_what_another_regulator_published_is_not_taken_for_this_one_s(world: World) -> None:
    other = Organisation.objects.create(name="Another Authority", role=Role.REGULATOR)
    ray = User.objects.create_user("ray@example.org", "ray's password")
    Membership.objects.create(user=ray, organisation=other)
    world.published()
    PublishedPolicy.objects.update(regulator=other)
    study = world.drafted(policy=terms()["policy"], regulator={"name": "Fairness Authority"})
    page = world.clients["rae"].get(f"/regulator/studies/{study.id}/")
    assert page.context["published_as"] is None
    policy = PublishedPolicy.objects.get()
    assert world.clients["rae"].get(f"/regulator/policies/{policy.id}/").status_code == 404
    withdraw = f"/policies/{policy.id}/withdrawal"
    assert world.post("rae", withdraw, {}).json()["code"] == "ONLY_PUBLISHER_WITHDRAWS"


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"criterion": [""]}, "criteria", "one to eight"),
        ({"criterion": ["nonsense"]}, "criteria.0", "Choose a criterion"),
        ({"thresholds": ["90 80"]}, "criteria.0", "rising order (percentages above 0"),
        ({"certify_at": ["70"]}, "criteria.0", "must be among them"),
        (
            {
                "criterion": ["p_rule", "", "accuracy_difference"],
                "thresholds": ["80", "", "-1"],
                "certify_at": ["80", "", "-1"],
            },
            "criteria.2",
            "from 0 to 100",
        ),
        ({"criterion": ["covariance"]}, "criteria", "read her answer"),
        ({"criterion": ["accuracy_z_test"], **AT_TWO}, "criteria", "few people"),
        ({"scope": "listed", "groups": "age × shoe"}, "groups", "no attribute of the study"),
        ({"scope": "listed", "groups": ""}, "groups", "Name every comparison once"),
        ({"minimum_group": "ten"}, "minimum_group", "whole number from 2"),
        ({"minimum_decided": "4"}, "minimum_decided", "whole number from 5"),
        ({"minimum_percent": "2 %"}, "minimum_percent", "below 50"),
        ({"comparison": "nonsense"}, "comparison", "Choose one"),
        ({"missing_answers": "bounds_shown", **EXCLUDED}, "missing_answers", "lift"),
        ({**TABLE, "question_bits_limit": "8"}, "question_bits_limit", "limit is 8"),
        ({"kind": "published"}, "kind", "opens nothing else"),
        ({"disclosure": "table"}, "disclosure", "counts of every group"),
        ({"thresholds": ["70 80"]}, "criteria.0", "which of several limits"),
        ({"questions": "0"}, "questions", "from 1 to 16"),
        ({"question_bits_limit": "10001"}, "question_bits_limit", "8 to 10,000"),
        ({"attribute_categories": ["only one"]}, "attributes", "two to sixteen answers"),
        (
            {f"attribute_{name}": [""] for name in ("title", "question", "name", "categories")},
            "attributes",
            "one to eight",
        ),
        ({"label_favourable": "bad credit"}, "label", "two different words"),
    ],
)
def test_a_refusal_stands_at_its_field_and_nothing_is_lost(
    world: World, changes: dict[str, Any], field: str, words: str
) -> None:
    answer = post(world, **changes)
    assert answer.status_code == 422
    assert list(faults(answer)) == [field]
    assert words in faults(answer)[field]
    assert words in answer.content.decode().replace("&quot;", '"')
    assert not PublishedPolicy.objects.exists()
    assert 'value="Age in lending"' in answer.content.decode()


@pytest.mark.parametrize("title", ["", " ", "x" * 101, "a\x00b"])
def test_a_policy_needs_a_name(world: World, title: str) -> None:
    answer = post(world, title=title)
    assert answer.status_code == 422
    assert "1 to 100 characters" in answer.context["title_fault"]
    assert not PublishedPolicy.objects.exists()


def test_a_name_is_free_again_once_its_policy_is_withdrawn(world: World) -> None:
    first = world.published()
    assert "published policy of this name" in post(world).context["title_fault"]
    taken = world.post("rae", "/policies", {"title": "Age in lending", "terms": terms()})
    assert taken.json()["code"] == "POLICY_TITLE_TAKEN"
    world.clients["rae"].post(f"/regulator/policies/{first}/withdraw/")
    policy = PublishedPolicy.objects.get()
    assert (policy.withdrawn_by, policy.withdrawn_at is None) == (world.users["rae"], False)
    written = AuditEntry.objects.filter(subject=first).order_by("pk").values_list("kind", "member")
    assert list(written) == [
        (kind, world.users["rae"].pk) for kind in ("POLICY_PUBLISHED", "POLICY_WITHDRAWN")
    ]
    assert world.get("mo", "/policies").json() == []
    assert world.get("mo", f"/policies/{first}").json()["withdrawn_at"]
    assert post(world).status_code == 302


def test_what_was_published_never_changes(world: World) -> None:
    world.published()
    policy = PublishedPolicy.objects.get()
    policy.terms = policy.terms.replace("80", "10")
    with pytest.raises(ImmutableError):
        policy.save()


def test_faulty_terms_are_refused_by_name_and_only_regulators_publish(world: World) -> None:
    policy = {**terms()["policy"], "criteria": []}
    answer = world.post("rae", "/policies", {"title": "Empty", "terms": terms(policy=policy)})
    assert (answer.status_code, answer.json()["code"]) == (422, "CONFIGURATION_INVALID")
    assert "policy.criteria" in answer.json()["detail"]
    answer = world.post("mo", "/policies", {"title": "Mine", "terms": terms()})
    assert answer.json()["code"] == "ONLY_REGULATORS_PUBLISH"


def test_readings_are_those_of_the_published_policy(world: World) -> None:
    world.published()
    published = world.get("anonymous", "/policies").json()[0]
    readings = world.post("uma", "/policy-readings", terms()).json()
    assert readings.items() <= published.items()
    assert [one["who"] for one in readings["learners"]] == [
        "modeler",
        "regulator",
        "person",
        "public",
    ]


@pytest.mark.database
def test_a_published_policy_comes_first_in_the_wizard_and_fills_the_form(world: World) -> None:
    policy = world.published()
    page = world.clients["mo"].get("/modeler/studies/new/")
    (first, offered), *_rest = page.context["editor"].options["starts"]
    assert (first, [one.value for one in offered]) == ("Published by regulators", [policy])
    filled = world.clients["mo"].post(
        "/modeler/policy/", {"then": "start", "start": policy, "about": "{}"}
    )
    told = filled.context["editor"].as_json
    assert told["regulator"] == "Fairness Authority"
    assert told["terms"] == terms()
    assert world.post("mo", "/studies", draft(**told["terms"])).status_code == 201


@pytest.mark.parametrize("policy", [draft()["policy"], terms()["policy"]], ids=["draft", "terms"])
def test_a_policy_of_a_file_fills_the_fields_and_means_the_same(
    world: World, policy: dict[str, Any]
) -> None:
    about = json.dumps({"attributes": draft()["attributes"], "label": draft()["label"]})
    body = {
        "then": "load",
        "about": about,
        "policy": json.dumps(policy),
        "question_bits_limit": "64",
    }
    editor = world.clients["mo"].post("/modeler/policy/", body).context["editor"]
    loaded = editor.as_json["terms"]["policy"]
    assert loaded["criteria"] == policy["criteria"]
    assert loaded["groups"] == policy["groups"]
    assert loaded["minimum_group"] == policy["minimum_group"]
    assert editor.readings


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"about": "[" * 5000},
        {"about": '{"attributes": [1, null, {"name": 3}], "label": []}'},
        {
            "then": "load",
            "about": "{}",
            "policy": '{"criteria": [5], "groups": [[1]], "scope": {}}',
        },
        {"then": "start", "start": "nowhere", "about": "{}"},
        {"then": "start", "start": "\x00", "about": "{}"},
        {"start": "\x00" * 32, "about": "{}"},
        {"criterion": ["p_rule"] * 300, "thresholds": ["80"] * 300, "certify_at": ["8"] * 300},
        {"groups": "x" * 100_000, "scope": "listed"},
        {"attribute_title": ["\x00"], "attribute_name": ["É"], "attribute_categories": ["::\n:"]},
    ],
)
def test_garbage_leaves_the_editor_standing(world: World, body: dict[str, Any]) -> None:
    for who, path in (("mo", "/modeler/policy/"), ("rae", "/regulator/policies/editor/")):
        answer = world.clients[who].post(path, body)
        assert answer.status_code == 200
        assert b'id="policy-preview"' in answer.content


@pytest.mark.parametrize("start", ["", "\x00", "A" * 32, "nowhere", "0" * 32])
def test_a_start_that_is_no_id_is_not_looked_for_in_the_database(world: World, start: str) -> None:
    with CaptureQueriesContext(connection) as asked:
        opened = world.clients["rae"].get("/regulator/policies/new/", {"start": start})
        posted = post(world, then="start", start=start)
    for answer in (opened, posted):
        assert answer.status_code == 200
        assert answer.context["editor"].start == ""
    by_id = f'"{PublishedPolicy._meta.db_table}"."id" = '
    assert any(by_id in query["sql"] for query in asked) == (start == "0" * 32)


def test_a_preset_keeps_minima_and_asks_for_the_bits_it_needs(world: World) -> None:
    answer = post(world, then="start", start="nyc_ll144", minimum_group="7")
    fields = answer.context["editor"].fields
    assert (fields.minimum_group, fields.question_bits_limit) == ("7", "5000")
    assert (fields.minimum_percent, fields.scope, fields.disclosure) == ("2", "pairs", "table")
    answer = post(world, then="start", start="four_fifths", question_bits_limit="900")
    assert answer.context["editor"].fields.question_bits_limit == "900"


@pytest.mark.parametrize(
    ("holder", "own"), [("regulator", "63"), ("modeler", "10,000"), ("", "63")]
)
def test_the_editor_counts_with_the_smallest_limit_of_the_parties(
    world: World, holder: str, own: str
) -> None:
    world.limits(question_bits_limit=63)
    about = json.dumps({"attributes": draft()["attributes"], "label": draft()["label"]})
    body = {**FIELDS, "then": "show", "about": about, "data_holder": holder}
    editor = world.clients["mo"].post("/modeler/policy/", body).context["editor"]
    if own == "63":
        assert "63 bits at most" in editor.faults["question_bits_limit"]
        assert editor.as_json["faulty"]
        assert editor.readings is None
    else:
        assert "Of the 64 bits" in editor.readings.charge
    fewer = world.clients["mo"].post("/modeler/policy/", {**body, "question_bits_limit": "63"})
    assert "Of the 63 bits" in fewer.context["editor"].readings.charge


def test_rows_are_added_without_a_script(world: World) -> None:
    assert len(post(world, then="add_criterion").context["editor"].fields.criteria) == 2
    about = post(world, then="add_attribute").context["editor"].about
    assert isinstance(about, AboutFields)
    assert len(about.attributes) == 2


def test_short_names_are_those_of_the_browser() -> None:
    expected = {
        "How old are you?": "how_old_are_you",
        "25 or younger": "n_25_or_younger",
        "É!": "e",
        "?": "",
    }
    assert {title: short_name(title) for title in expected} == expected


@pytest.mark.parametrize(
    "title", ["age in  Lending", "Ag\u200de in lending", "\uff21ge in lending"]
)
def test_two_policies_in_force_have_names_that_look_different(world: World, title: str) -> None:
    assert post(world).status_code == 302
    answer = post(world, title=title)
    assert answer.status_code == 422
    assert "a published policy of this name" in answer.context["title_fault"]


@pytest.mark.parametrize("title", ["by \u202ethgir", "Age\u200b in lending", "\u3164"])
def test_a_policy_has_a_name_that_reads_as_it_is(world: World, title: str) -> None:
    answer = post(world, title=title)
    assert answer.status_code == 422
    assert "none of them hidden" in answer.context["title_fault"]
    body = {"title": title, "terms": terms()}
    sent = world.clients["rae"].post("/api/v1/policies", body, content_type="application/json")
    assert sent.status_code == 422


def test_every_field_at_fault_is_told_at_once(world: World) -> None:
    wrong = {"minimum_group": "ten", "minimum_percent": "2 %", "comparison": "none"}
    answer = post(world, **wrong, label_favourable="bad credit", attribute_title=["How old?"])
    assert set(faults(answer)) == {*wrong, "label", "attributes"}


def test_a_draft_is_refused_with_every_field(world: World) -> None:
    body = draft(title="", retention_days="soon", label={**draft()["label"], "favourable": ""})
    answer = world.clients["mo"].post("/api/v1/studies", body, content_type="application/json")
    assert answer.status_code == 422
    told = answer.json()
    assert [fault["field"] for fault in told["faults"]] == [
        "title",
        "retention_days",
        "label.favourable",
    ]
    assert told["detail"] == told["faults"][0]["sentence"] == "configuration.title is empty."
