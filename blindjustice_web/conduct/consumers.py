"""Live updates: an open page is told that something changed and fetches it with its own rights.

Nothing but ids, stages and counts travels here; whoever may not see the page can't listen.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from redis.exceptions import RedisError

from blindjustice_web.accounts.sessions import viewer_of
from blindjustice_web.challenges.access import challenge_for
from blindjustice_web.lib import push
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.studies.access import study_for

NOT_FOR_YOU = 4404
TOO_LONG = 1009
TRY_AGAIN_LATER = 1013
ASKED_AGAIN_EVERY_S = 30.0
LAYER_LIMIT_S = 5.0
"""How long joining or leaving a group may take while Redis hangs; the page then connects anew."""
BEAT_S = 15.0
"""Between two signs of life to a page, which tells by their absence that its line is frozen."""


class LivePages(AsyncJsonWebsocketConsumer, ABC):
    """Join the group of one object, if the viewer may see it.

    What a page sends is passed over, unless it is too long: then the connection ends. A connection
    outlives neither its log-in nor its rights by more than half a minute of messages.
    """

    group = ""
    asked_at = 0.0
    beating: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Accept a viewer who may see the object; close with 4404 otherwise."""
        object_id = self.scope["url_route"]["kwargs"]["object_id"]
        allowed = await self._is_allowed()
        await self.accept()
        if not allowed:
            await self.close(code=NOT_FOR_YOU)
            return
        self.group = self.group_of(object_id)
        try:
            async with asyncio.timeout(LAYER_LIMIT_S):
                await self.channel_layer.group_add(self.group, self.channel_name)
        except (TimeoutError, RedisError):
            await self.close(code=TRY_AGAIN_LATER)
            return
        self.beating = asyncio.create_task(self._beat())

    async def disconnect(self, code: int) -> None:
        """Leave the group; a name that stays there while Redis is away expires in it."""
        if self.beating is not None:
            self.beating.cancel()
        if self.group:
            with suppress(TimeoutError, RedisError):
                async with asyncio.timeout(LAYER_LIMIT_S):
                    await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(
        self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any
    ) -> None:
        """Pass over whatever a page sends; a page has nothing to say."""
        if len(text_data or bytes_data or "") > settings.SOCKET_MESSAGE_BYTES:
            await self.close(code=TOO_LONG)

    async def page_message(self, event: dict[str, Any]) -> None:
        """Hand a message of the group to the page, if its viewer still may see it."""
        due = time.monotonic() - self.asked_at > ASKED_AGAIN_EVERY_S
        if due and not await self._is_allowed():
            await self.close(code=NOT_FOR_YOU)
            return
        await self.send_json(event["message"])

    async def _beat(self) -> None:
        """Say every so often that the line stands: a frozen one closes nothing by itself."""
        while True:
            await asyncio.sleep(BEAT_S)
            await self.send_json({"type": "beat"})

    async def _is_allowed(self) -> bool:
        self.asked_at = time.monotonic()
        return bool(await database_sync_to_async(self._may_see_now)())

    def _may_see_now(self) -> bool:
        """Tell whether the log-in still stands and may see the object."""
        viewer = viewer_of(self.scope["session"].session_key)
        return self.may_see(viewer, self.scope["url_route"]["kwargs"]["object_id"])

    @abstractmethod
    def may_see(self, user: Any, object_id: str) -> bool:
        """Tell whether a user may see the object."""

    @abstractmethod
    def group_of(self, object_id: str) -> str:
        """Return the channel group of the object."""


class StudyPages(LivePages):
    """Pages of a study, for members of its two organisations."""

    def may_see(self, user: Any, object_id: str) -> bool:
        """Tell whether the user's organisation takes part in the study."""
        try:
            study_for(user, object_id)
        except NotThere:
            return False
        return True

    def group_of(self, object_id: str) -> str:
        """Return the group of the study."""
        return push.study_group(object_id)


class ChallengePages(LivePages):
    """Pages of a case, for its owner and the regulator."""

    def may_see(self, user: Any, object_id: str) -> bool:
        """Tell whether the user opened the case or belongs to its regulator."""
        try:
            challenge_for(user, object_id)
        except NotThere:
            return False
        return True

    def group_of(self, object_id: str) -> str:
        """Return the group of the case."""
        return push.challenge_group(object_id)


class NoSuchPage(AsyncJsonWebsocketConsumer):
    """Any other address: closed with 4404, like a page that isn't the viewer's."""

    async def connect(self) -> None:
        """Accept, because only then a browser learns the code, and close."""
        await self.accept()
        await self.close(code=NOT_FOR_YOU)
