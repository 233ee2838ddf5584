"""Live updates: who may listen, and what is heard."""

from __future__ import annotations

import asyncio

import pytest
from channels.db import database_sync_to_async
from channels.layers import InMemoryChannelLayer

from blindjustice_web.conduct import consumers
from blindjustice_web.conduct.consumers import NOT_FOR_YOU
from blindjustice_web.jobs.models import Job
from tests.web.drafts import some_id
from tests.web.sockets import Socket
from tests.web.stories import World

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


def _socket(world: World, who: str, path: str) -> Socket:
    return Socket(path, session=world.session(who))


async def _is_let_in(world: World, who: str, path: str) -> bool:
    page = _socket(world, who, path)
    assert await page.opens()
    code = await page.close_code()
    await page.leaves()
    assert code in {None, NOT_FOR_YOU}
    return code is None


@pytest.mark.parametrize(
    ("who", "allowed"),
    [("mo", True), ("rae", True), ("mia", False), ("uma", False), ("anonymous", False)],
)
async def test_members_listen_to_their_studies(committed: World, who: str, allowed: bool) -> None:
    study = await database_sync_to_async(committed.drafted)()
    assert await _is_let_in(committed, who, f"/ws/studies/{study.id}/") is allowed


async def test_nobody_listens_to_what_is_not_there(committed: World) -> None:
    for kind in ("studies", "challenges"):
        assert not await _is_let_in(committed, "mo", f"/ws/{kind}/{some_id('none')}/")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "allowed"),
    [("uma", True), ("rae", True), ("umar", False), ("mo", False), ("anonymous", False)],
)
async def test_owner_and_regulator_listen_to_a_case(
    committed: World, who: str, allowed: bool
) -> None:
    certificate = await database_sync_to_async(committed.certified)()
    challenge_id = await database_sync_to_async(committed.challenge)("uma", certificate)
    assert await _is_let_in(committed, who, f"/ws/challenges/{challenge_id}/") is allowed


async def test_a_foreign_page_is_shut_out(committed: World) -> None:
    study = await database_sync_to_async(committed.drafted)()
    session = committed.session("mo")
    page = Socket(f"/ws/studies/{study.id}/", origin="https://evil.example", session=session)
    assert not await page.opens()


async def test_an_open_page_hears_that_its_line_stands(
    committed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "BEAT_S", 0.01)
    study = await database_sync_to_async(committed.drafted)()
    page = _socket(committed, "mo", f"/ws/studies/{study.id}/")
    assert await page.opens()
    assert [await page.hears() for _ in range(2)] == [{"type": "beat"}] * 2
    await page.leaves()


async def test_a_change_and_progress_are_heard(committed: World) -> None:
    study = await database_sync_to_async(committed.opened)()
    page = _socket(committed, "rae", f"/ws/studies/{study.id}/")
    assert await page.opens()
    job: Job = await database_sync_to_async(committed.closing_job)(study)
    heard = [await page.hears() for _ in range(2)]
    assert {"type": "changed", "what": "proposal"} in heard
    await database_sync_to_async(committed.parties.modeler.says)(
        "job_progress", job_id=job.id, attempt=1, stage="checking answers", done=1, total=3
    )
    while (message := await page.hears())["type"] != "progress":
        pass
    assert message == {
        "type": "progress",
        "job_id": job.id,
        "stage": "checking answers",
        "done": 1,
        "total": 3,
    }
    await page.leaves()


@pytest.mark.slow
async def test_a_case_hears_its_answer(committed: World) -> None:
    certificate = await database_sync_to_async(committed.certified)()
    challenge_id = await database_sync_to_async(committed.challenge)("uma", certificate)
    page = _socket(committed, "uma", f"/ws/challenges/{challenge_id}/")
    assert await page.opens()
    await database_sync_to_async(committed.challenge_read)(certificate, challenge_id)
    assert (await page.hears())["type"] == "changed"
    await page.leaves()


async def test_what_a_page_sends_is_passed_over(committed: World) -> None:
    study = await database_sync_to_async(committed.drafted)()
    page = _socket(committed, "mo", f"/ws/studies/{study.id}/")
    assert await page.opens()
    await page.sends(text="not json")
    await page.sends(bytes=b"\x00")
    assert await page.is_quiet()
    await page.leaves()


async def test_a_layer_that_hangs_lets_the_page_connect_anew(
    committed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(layer: object, group: str, channel: str) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(consumers, "LAYER_LIMIT_S", 0.05)
    monkeypatch.setattr(InMemoryChannelLayer, "group_add", hang)
    monkeypatch.setattr(InMemoryChannelLayer, "group_discard", hang)
    study = await database_sync_to_async(committed.drafted)()
    page = _socket(committed, "mo", f"/ws/studies/{study.id}/")
    assert await page.opens()
    assert await page.next_is_close() == consumers.TRY_AGAIN_LATER
    await page.leaves()
