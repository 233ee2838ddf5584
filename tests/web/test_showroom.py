"""The showroom shows every page of the site: what the browser tests look at is complete."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import Resolver404, resolve

from tests.web.access_rows import ROWS, pages
from tests.web.stories import World
from tools.showroom.seed import seed

pytestmark = pytest.mark.slow


def _row_of(path: str) -> str:
    """Return the row of an address; a resolved route lacks the mark of its pattern's start."""
    route = resolve(path.partition("?")[0]).route
    return next(row for row in ROWS if row.replace("^", "") == route)


def test_every_page_that_is_html_is_shown(world: World, settings: Any) -> None:
    settings.DEMO = True
    shown, missing = set(), []
    for page in seed(world):
        path = page.path.partition("#")[0]
        answer = world.clients[page.who].get(path)
        if answer.status_code != 200 or "text/html" not in answer["Content-Type"]:
            missing.append((page.name, answer.status_code))
        try:
            shown.add(_row_of(path))
        except Resolver404:
            continue
    assert missing == [("error-404", 404)]
    assert set(pages()) - shown == set()
