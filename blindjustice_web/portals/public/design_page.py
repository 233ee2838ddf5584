"""What the page of the design system shows: tokens by group, states by tone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels import JobState, Verdict
from blindjustice_web.lib.named import Named

Text = str | Promise


@dataclass(frozen=True)
class Token:
    """A custom property of the style sheet and what it is for."""

    name: str
    use: Text


COLOURS = (
    Token("paper", _("the page")),
    Token("surface", _("panels and fields")),
    Token("sunken", _("foot, table heads")),
    Token("ink", _("text")),
    Token("ink-soft", _("text of second rank")),
    Token("line", _("thin lines")),
    Token("line-strong", _("edges of fields")),
    Token("accent", _("links and main buttons")),
    Token("person", _("what is the person's own")),
    Token("modeler", _("the modeler's half")),
    Token("regulator", _("the regulator's half")),
    Token("good", _("passed, held, valid")),
    Token("bad", _("failed, refused, expired")),
    Token("open", _("waiting, running, undecided")),
    Token("focus", _("where the keyboard is")),
)
TYPES = (
    Token("title-l", _("Title of the front page")),
    Token("title-m", _("Title of a section")),
    Token("title-s", _("Title of a panel")),
    Token("text-l", _("Lead")),
    Token("text-m", _("Text")),
    Token("text-s", _("Small print, tables")),
)
SPACES = (
    Token("gap-xs", _("between a word and its sign")),
    Token("gap-s", _("between lines that belong together")),
    Token("gap-m", _("between paragraphs")),
    Token("gap-l", _("between groups")),
    Token("gap-xl", _("between sections")),
    Token("gap-xxl", _("between chapters")),
)


def design_page() -> dict[str, Any]:
    """Return the context of the page."""
    states = [
        *(Named.of(verdict) for verdict in Verdict),
        Named.of(JobState.RUNNING),
        Named("DRAFT", _now("Draft")),
    ]
    return {"colours": COLOURS, "types": TYPES, "spaces": SPACES, "states": states}
