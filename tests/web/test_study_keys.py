"""The parties' sealing keys: the first is bound into the configuration, the next one is signed."""

from __future__ import annotations

import json
from datetime import timedelta

from tests.web.closing_stories import says_key
from tests.web.stories import World


def announced(world: World, study_id: str) -> dict[str, str]:
    """Return the key ids in the messages that anybody can fetch, by role."""
    found = world.get("anonymous", f"/studies/{study_id}/configuration").json()["keys"]
    return {key["role"]: json.loads(key["body"])["key_id"] for key in found}


def test_key_that_follows_closing_is_handed_out_as_the_party_signed_it(world: World) -> None:
    study = world.opened()
    before = announced(world, study.id)
    says_key(world, study.id, "1")
    assert announced(world, study.id) == before
    study.state = "CLOSED"
    study.save()
    says_key(world, study.id, "2")
    assert announced(world, study.id) == before | {"modeler": "2" * 32}
    study.refresh_from_db()
    assert study.state == "CLOSED"
    key = json.loads(study.configuration.text)["modeler"]["key_id"]
    assert key == before["modeler"]


def test_pages_hand_the_signed_key_to_the_browser(world: World) -> None:
    study = world.opened()
    page = world.clients["mo"].get(f"/modeler/studies/{study.id}/models/new/")
    statement = page.context["page_data"]["modeler_key"]
    assert json.loads(statement["body"])["kind"] == "study_key"
    assert statement["signature"] == study.keys.get(role="modeler").signature


def test_no_clock_tells_which_key_is_newer(world: World) -> None:
    world.parties.modeler.clock_ahead = timedelta(hours=1)
    study = world.opened()
    study.state = "CLOSED"
    study.save()
    world.parties.modeler.clock_ahead = timedelta(0)
    says_key(world, study.id, "2")
    assert announced(world, study.id)["modeler"] == "2" * 32
    world.parties.modeler.clock_ahead = timedelta(days=1)
    says_key(world, study.id, "1")
    assert announced(world, study.id)["modeler"] == "2" * 32
