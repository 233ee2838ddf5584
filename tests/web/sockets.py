"""A browser's end of a WebSocket, spoken straight to the ASGI application."""

from __future__ import annotations

import json
from typing import Any

from asgiref.testing import ApplicationCommunicator

from blindjustice_web.config.asgi import application

WAIT_S = 5.0
OWN_ORIGIN = "http://127.0.0.1:8000"


class Socket:
    """One open page."""

    def __init__(
        self, path: str, *, origin: str = "http://127.0.0.1:8000", session: str = ""
    ) -> None:
        headers = [(b"host", b"localhost"), (b"origin", origin.encode())]
        if session:
            headers.append((b"cookie", f"sessionid={session}".encode("latin-1")))
        self._headers = headers
        self._line = ApplicationCommunicator(
            application,
            {
                "type": "websocket",
                "path": path,
                "query_string": b"",
                "headers": headers,
                "subprotocols": [],
            },
        )

    def adds_header(self, name: bytes, value: bytes) -> None:
        """Send one more header with the knock."""
        self._headers.append((name, value))

    async def opens(self) -> bool:
        """Knock; tell whether the application let the page in."""
        await self._line.send_input({"type": "websocket.connect"})
        answer: dict[str, Any] = await self._line.receive_output(WAIT_S)
        return answer["type"] == "websocket.accept"

    async def sends(self, **content: Any) -> None:
        """Send text or bytes."""
        await self._line.send_input({"type": "websocket.receive", **content})

    async def hears(self) -> dict[str, Any]:
        """Return the next message."""
        output = await self._line.receive_output(WAIT_S)
        message: dict[str, Any] = json.loads(output["text"])
        return message

    async def is_quiet(self) -> bool:
        """Tell whether nothing comes for a moment."""
        quiet: bool = await self._line.receive_nothing(timeout=0.05)
        return quiet

    async def close_code(self) -> int | None:
        """Return the code the application closed with, or None if it keeps the page."""
        if await self.is_quiet():
            return None
        return await self.next_is_close()

    async def next_is_close(self) -> int:
        """Return the code of the close that must come next."""
        output = await self._line.receive_output(WAIT_S)
        assert output["type"] == "websocket.close", output
        code: int = output["code"]
        return code

    async def leaves(self) -> None:
        """Close the page."""
        await self._line.send_input({"type": "websocket.disconnect", "code": 1000})
        await self._line.wait(WAIT_S)
