"""What the API takes as JSON: one meaning for everybody who reads the same bytes."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

CONTENT_TYPE = "application/json"


class StrictParser(Parser):
    """Read JSON in UTF-8 that names nothing twice and has finite numbers only.

    Every error here becomes ``REQUEST_NOT_READABLE``.
    """

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the value of a body; ValueError if it has none, or more than one."""
        if request.content_type != CONTENT_TYPE:
            raise ValueError(f"a body must be {CONTENT_TYPE}")
        return json.loads(
            request.body.decode("utf-8"),
            object_pairs_hook=_without_doubles,
            parse_constant=_refuse,
            parse_float=_finite,
        )


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
