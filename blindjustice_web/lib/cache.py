"""What goes into the shared cache: JSON, which runs nothing when it is read."""

from __future__ import annotations

import json
from typing import Any


class JsonSerializer:
    """Write values as JSON; whole numbers stay countable for the server."""

    def dumps(self, value: Any) -> str:
        """Return a value as text."""
        return json.dumps(value)

    def loads(self, data: bytes) -> Any:
        """Return the value of a text."""
        return json.loads(data)
