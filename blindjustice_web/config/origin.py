"""WebSockets of our own pages only: browsers send cookies along whoever opens the connection."""

from __future__ import annotations

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings


class OwnPagesOnly:
    """Refuse the handshake of a page that is not this site's, and of whoever names no page."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let exactly the site's own origins in; nothing is parsed, so nothing can be misread."""
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        own = [origin.encode("ascii") for origin in settings.OWN_ORIGINS]
        if len(origins) == 1 and origins[0] in own:
            await self._application(scope, receive, send)
        else:
            await WebsocketDenier()(scope, receive, send)
