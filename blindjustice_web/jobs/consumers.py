"""Live updates: an open page is told that something changed and fetches it with its own rights.

Nothing but ids, stages and counts travels here; whoever may not see the page can't listen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer

from blindjustice_web.challenges.access import challenge_for
from blindjustice_web.lib import push
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.studies.access import study_for

NOT_FOR_YOU = 4404


class LivePages(AsyncJsonWebsocketConsumer, ABC):
    """Join the group of one object, if the viewer may see it; what a page sends is passed over."""

    group = ""

    async def connect(self) -> None:
        """Accept a viewer who may see the object; close with 4404 otherwise."""
        object_id = self.scope["url_route"]["kwargs"]["object_id"]
        allowed = await database_sync_to_async(self.may_see)(self.scope["user"], object_id)
        await self.accept()
        if not allowed:
            await self.close(code=NOT_FOR_YOU)
            return
        self.group = self.group_of(object_id)
        await self.channel_layer.group_add(self.group, self.channel_name)

    async def disconnect(self, code: int) -> None:
        """Leave the group."""
        if self.group:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(self, *args: Any, **kwargs: Any) -> None:
        """Pass over whatever a page sends."""

    async def page_message(self, event: dict[str, Any]) -> None:
        """Hand a message of the group to the page."""
        await self.send_json(event["message"])

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
