"""The running site against hostile lines: bodies without length or end, pages of elsewhere."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.running_stack import RunningStack

CHUNK = b" " * (1 << 16)
MANY = 512  # chunks: 32 MiB, where 1 MiB is taken
SUBMISSIONS = f"/api/v1/studies/{'a' * 32}/submissions"


def _status_of(stack: RunningStack, headers: dict[str, str], body: Iterator[bytes] | bytes) -> int:
    parts = urlsplit(stack.base_url)
    line = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=30)
    try:
        headers = {"Content-Type": "application/json", **headers}
        line.request("POST", SUBMISSIONS, body, headers, encode_chunked=not isinstance(body, bytes))
        return line.getresponse().status
    except (BrokenPipeError, ConnectionResetError):
        return line.getresponse().status  # what the site said before it hung up
    finally:
        line.close()


def test_a_body_without_length_ends_at_the_limit(stack: RunningStack) -> None:
    body = (CHUNK for _ in range(MANY))
    assert _status_of(stack, {"Transfer-Encoding": "chunked"}, body) == 413


def test_a_body_that_declares_too_much_is_not_waited_for(stack: RunningStack) -> None:
    assert _status_of(stack, {"Content-Length": str(1 << 40)}, b"{}") == 413


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null"])
def test_other_origins_get_no_handshake(stack: RunningStack, origin: str | None) -> None:
    address = stack.base_url.replace("http", "ws", 1) + f"/ws/studies/{'a' * 32}/"
    with pytest.raises(InvalidStatus) as refused, connect(address, origin=origin):  # type: ignore[arg-type]
        pass
    assert refused.value.response.status_code == 403
