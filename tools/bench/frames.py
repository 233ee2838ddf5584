"""Arrays and a header as one message between two Pythons with different NumPys: no pickle."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
_HEADER = "_header"


def send(pipe: Connection, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Send a JSON object and named arrays."""
    buffer = io.BytesIO()
    named: dict[str, Any] = {_HEADER: np.array(json.dumps(header)), **arrays}
    np.savez(buffer, **named)
    pipe.send_bytes(buffer.getbuffer())


def receive(pipe: Connection) -> tuple[dict[str, Any], Arrays]:
    """Return what came; EOFError when the other side is gone."""
    with np.load(io.BytesIO(pipe.recv_bytes()), allow_pickle=False) as content:
        arrays = dict(content)
    return json.loads(str(arrays.pop(_HEADER))), arrays
