"""Lists in pages: as many rows as a reader can use, and never more queries for a longer list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

ROWS = 50
SHARED_ROWS = 30
"""Rows of a list that has its page not to itself."""
API_ROWS = 200
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class PageView(Generic[Row]):
    """One page of a list, and where its neighbours are ("" where there is none)."""

    rows: Sequence[Row]
    number: int
    n_pages: int
    n_rows: int
    first: int
    last: int
    previous_url: str
    next_url: str


def page_of(
    request: HttpRequest, found: QuerySet[Row], *, name: str = "page", size: int = ROWS
) -> PageView[Row]:
    """Return the page that ``?name=`` asks for; nonsense is the first, too high is the last.

    Keys are put in order first, and whole rows are fetched for one page only: a database would
    carry the texts of all rows through its sorting.
    """
    page = Paginator(found.values_list("pk", flat=True), size).get_page(request.GET.get(name))
    keys = list(page.object_list)
    rows = found.order_by().in_bulk(keys)
    return PageView(
        rows=[rows[key] for key in keys if key in rows],
        number=page.number,
        n_pages=page.paginator.num_pages,
        n_rows=page.paginator.count,
        first=page.start_index(),
        last=page.end_index(),
        previous_url=_url(request, name, page.number - 1) if page.has_previous() else "",
        next_url=_url(request, name, page.number + 1) if page.has_next() else "",
    )


def api_page(request: HttpRequest, response: HttpResponse, found: QuerySet[Row]) -> Sequence[Row]:
    """Return the page that ``?page=`` asks for; headers say how many rows there are, and the next.

    ``X-Total-Count``, and ``Link`` (RFC 8288) with ``rel="prev"`` and ``rel="next"``.
    """
    page = page_of(request, found, size=API_ROWS)
    response.headers["X-Total-Count"] = str(page.n_rows)
    links = (("prev", page.previous_url), ("next", page.next_url))
    shown = ", ".join(f'<{request.path}{url}>; rel="{rel}"' for rel, url in links if url)
    if shown:
        response.headers["Link"] = shown
    return page.rows


def _url(request: HttpRequest, name: str, number: int) -> str:
    values: Any = request.GET.copy()
    values.pop("partial", None)
    values[name] = str(number)
    return f"?{values.urlencode()}"
