"""A story that was told is put back as it was, and only where nothing could make it another one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import connection, transaction

from blindjustice_web.config.limits import RequestRate
from blindjustice_web.studies.models import Study
from tests.web import hostile, rows
from tests.web.memory import USUAL, Memory, recalled
from tests.web.stories import World

pytestmark = pytest.mark.database


def _undone(world: World, tell: Callable[[], Any]) -> Any:
    """Return what a call returns whose rows, tasks and counts are taken back."""
    counts = dict(cache._cache)  # type: ignore[attr-defined]
    with hostile.undone(world):
        told = tell()
    cache.clear()
    cache._cache.update(counts)  # type: ignore[attr-defined]
    return told


def _found(world: World) -> tuple[Any, ...]:
    return rows.read(connection), list(world.broker.tasks), list(mail.outbox)


@pytest.mark.parametrize(
    "story", ["drafted", "submitted", "opened", "invited", "closed", "certified", "published"]
)
def test_a_story_put_back_leaves_what_it_left_when_it_was_told(world: World, story: str) -> None:
    world.memory = Memory(kept_s=3600.0)
    tell = getattr(world, story)
    first = _undone(world, lambda: (tell(), _found(world)))
    with transaction.atomic():
        assert (tell(), _found(world)) == first


def test_what_follows_a_story_put_back_follows_it(world: World) -> None:
    world.memory = Memory()
    told = [_undone(world, lambda: world.judged(world.closed()).state) for _ in range(2)]
    assert told == ["DONE", "DONE"]
    assert not Study.objects.exists()


@pytest.fixture
def n_told(world: World) -> Callable[[], int]:
    """Return what recalls a story that drafts a study, and counts how often it was told."""
    world.memory = Memory(kept_s=3600.0)
    calls: list[int] = []

    def tell() -> None:
        calls.append(1)
        world.post("mo", "/studies", {})

    def recall(*told_with: object) -> int:
        _undone(world, lambda: recalled(world, "n_told", told_with, tell))
        return len(calls)

    return recall


def test_a_story_is_told_once(n_told: Callable[..., int]) -> None:
    assert [n_told("a"), n_told("a"), n_told("b"), n_told("b")] == [1, 1, 2, 2]


def test_what_is_old_is_told_anew(world: World, n_told: Callable[..., int]) -> None:
    world.memory = Memory(kept_s=0.0)
    assert [n_told(), n_told()] == [1, 2]


def test_what_is_kept_does_not_hang_on_when_the_machine_was_started(
    world: World, n_told: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    since_the_start = [59.5]
    clock = SimpleNamespace(monotonic=lambda: since_the_start[0])
    monkeypatch.setattr("tests.web.memory.time", clock)
    world.memory = Memory(kept_s=60.0)
    monkeypatch.setattr("tests.web.memory.exchanged", lambda: USUAL)
    assert n_told() == 1
    since_the_start[0] = 60.5
    assert n_told() == 1


def _row(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.users["mo"].is_active = False
    world.users["mo"].save()


def _limit(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LIMITS = {**settings.LIMITS, "LOG_IN_ACCOUNT": RequestRate(7, 7)}


def _count(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.set("attempts", 1)


def _broker(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.broker.is_away = True


def _party(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.limits(question_bits_limit=7)


def _file(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (settings.PUBLIC_DIR / "modeler.json").unlink()


def _cookie(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    world.clients["mo"].cookies["theme"] = "dark"


def _function(world: World, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Study, "__str__", lambda self: "another")


def test_a_story_is_told_anew_while_another_patch_of_a_test_holds(
    n_told: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert n_told() == 1
    for makes in (monkeypatch.context, pytest.MonkeyPatch.context):
        with makes() as patch:
            patch.setattr(Study, "__str__", lambda self: "another")
            before = n_told()
            assert n_told() == before + 1
    told = n_told()
    assert [told, n_told()] == [5, 5]


@pytest.mark.parametrize(
    "change", [_row, _limit, _count, _broker, _party, _file, _cookie, _function]
)
def test_a_story_is_told_anew_where_anything_is_different(
    world: World,
    n_told: Callable[..., int],
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[..., None],
) -> None:
    assert n_told() == 1
    change(world, settings, monkeypatch)
    assert n_told() == 2
