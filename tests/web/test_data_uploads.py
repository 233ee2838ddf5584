"""Sealed data files arrive in parts: in any order, again after a lost line, and whole or not."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from blindjustice_web.enrolment import data_uploads
from blindjustice_web.enrolment.models import DataPart, DataUpload
from blindjustice_web.studies.models import Study
from tests.web.drafts import API, announced, some_id
from tests.web.stories import World

pytestmark = pytest.mark.database

CONTENT = bytes(range(256)) * 3
PART_BYTES = 300


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_uploads, "PART_BYTES", PART_BYTES)


@pytest.fixture
def study(world: World) -> Study:
    return world.opened(data_source="file")


def _announce(world: World, study: Study, content: bytes = CONTENT, name: str = "u") -> Any:
    body = announced(base64.b64encode(content).decode(), name)
    return world.post("rae", f"/studies/{study.id}/data", body)


def _send(world: World, study: Study, number: int, content: bytes | None = None) -> Any:
    piece = CONTENT[number * PART_BYTES :][:PART_BYTES] if content is None else content
    return world.clients["rae"].put(
        f"{API}/studies/{study.id}/data/{some_id('u')}/parts/{number}",
        {"content": base64.b64encode(piece).decode()},
        content_type="application/json",
    )


def test_parts_arrive_in_any_order_and_the_whole_goes_to_the_party(
    world: World, study: Study
) -> None:
    assert _announce(world, study).json()["missing"] == [0, 1, 2]
    assert _send(world, study, 2).json() == {
        "upload_id": some_id("u"),
        "state": "ARRIVING",
        "part_bytes": PART_BYTES,
        "missing": [0, 1],
    }
    assert _send(world, study, 2).json()["missing"] == [0, 1]
    assert _announce(world, study).json()["missing"] == [0, 1]
    assert world.broker.of_kind("data") == []
    assert _send(world, study, 0).json()["missing"] == [1]
    answer = _send(world, study, 1).json()
    assert (answer["state"], answer["missing"]) == ("RECEIVED", [])
    (task,) = world.broker.of_kind("data")
    assert base64.b64decode(task.payload["envelope"]) == CONTENT
    assert not DataPart.objects.exists()
    assert _send(world, study, 1).json()["state"] == "RECEIVED"
    assert _announce(world, study).json()["state"] == "RECEIVED"
    assert len(world.broker.of_kind("data")) == 1


def test_a_file_that_is_not_the_announced_one_goes_nowhere(world: World, study: Study) -> None:
    _announce(world, study)
    for number in (0, 1):
        _send(world, study, number)
    answer = _send(world, study, 2, bytes(168)).json()
    assert (answer["state"], answer["missing"]) == ("ARRIVING", [0, 1, 2])
    assert world.broker.of_kind("data") == []


@pytest.mark.parametrize(
    ("number", "content"), [(3, b"x" * 300), (0, b"x" * 299), (2, b"x" * 300), (1000, b"x" * 168)]
)
def test_a_part_that_does_not_fit_is_refused(
    world: World, study: Study, number: int, content: bytes
) -> None:
    _announce(world, study)
    answer = _send(world, study, number, content)
    assert (answer.status_code, answer.json()["code"]) == (422, "PART_MISPLACED")
    assert not DataPart.objects.exists()


def test_a_part_of_nothing_announced_is_not_there(world: World, study: Study) -> None:
    assert _send(world, study, 0).status_code == 404
    _announce(world, study)
    elsewhere = world.opened(data_source="file", title="Another study")
    assert _send(world, elsewhere, 0).status_code == 404


def test_a_new_file_drops_what_arrived_of_one_that_never_became_whole(
    world: World, study: Study
) -> None:
    _announce(world, study)
    _send(world, study, 0)
    assert _announce(world, study, CONTENT[1:], "v").json()["missing"] == [0, 1, 2]
    assert [upload.id for upload in DataUpload.objects.all()] == [some_id("v")]
    assert not DataPart.objects.exists()
    assert _send(world, study, 1).status_code == 404


@pytest.mark.parametrize(
    "changes",
    [
        {"size_bytes": 99},
        {"size_bytes": 45_000_001},
        {"size_bytes": "768"},
        {"digest": "A" * 64},
        {"upload_id": "u"},
    ],
)
def test_an_announcement_that_cannot_be_is_refused(
    world: World, study: Study, changes: dict[str, Any]
) -> None:
    body = announced(base64.b64encode(CONTENT).decode(), "u") | changes
    answer = world.post("rae", f"/studies/{study.id}/data", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "INPUT_INVALID")
    assert not DataUpload.objects.exists()


def test_the_digest_is_that_of_the_whole_file() -> None:
    body = announced(base64.b64encode(CONTENT).decode(), "u")
    assert body["digest"] == hashlib.sha256(CONTENT).hexdigest()
