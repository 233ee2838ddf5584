"""The page of error codes: what each one means, for whoever met it."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from blindjustice_web.lib.error_words import SITE_TOPICS
from blindjustice_web.portals.pages import public_page


@dataclass(frozen=True)
class CodeView:
    """A code and its words; the code is also where the page holds it."""

    code: str
    what: str
    kept: str
    next: str


@dataclass(frozen=True)
class TopicView:
    """Codes that one meets in the same place."""

    title: str
    codes: list[CodeView]


@public_page
def errors(request: HttpRequest) -> HttpResponse:
    """Show every code."""
    topics = [
        TopicView(
            _(topic.title),
            [
                CodeView(code, _(words.what), _(words.kept), _(words.next))
                for code, words in sorted(topic.words.items())
            ],
        )
        for topic in SITE_TOPICS
    ]
    return render(request, "public/errors.html", {"topics": topics})
