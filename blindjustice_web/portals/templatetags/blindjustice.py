"""Template tags of the site: its modules, and what each file must be to be used at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from blindjustice_web.engine.engine_policies import criterion_clause
from blindjustice_web.lib.error_words import Words, site_words_of
from blindjustice_web.lib.labels import (
    RATE_CRITERIA,
    Comparison,
    CriterionName,
    MissingAnswers,
    SmallGroups,
    StudyKind,
    title_of,
)
from blindjustice_web.lib.moments import day_text, moment_text
from blindjustice_web.portals.colours import colours
from blindjustice_web.portals.modules import BARE_NAMES, digest_of, imports_of, needed_by

register = template.Library()

THEME_SWITCH = "js/components/theme_switch.js"
"""What every page loads."""
WORDS_OF_POLICIES = (CriterionName, StudyKind, Comparison, SmallGroups, MissingAnswers)
"""What stands by its word in a policy; no two of them share one."""


@register.simple_tag
def integrity(name: str) -> SafeString:
    """Print the ``integrity`` attribute of a file that a page names itself.

    What modules import has its digest in the import map.
    """
    return format_html('integrity="{}"', _kept(_digest)(name))


@register.simple_tag(takes_context=True)
def modules(context: template.Context, name: str = "") -> SafeString:
    """Print what a page's module needs: import map, preloads, and the tags of all pages' and its.

    The map is of this page's modules only. Without preloads a browser finds out about imports one
    level at a time. A page without a module of its own names none.
    """
    nonce = getattr(context["request"], "csp_nonce", "")
    names = (THEME_SWITCH, name) if name else (THEME_SWITCH,)
    return format_html(
        '<script type="importmap" nonce="{}">{}</script>\n  {}',
        str(nonce),
        mark_safe(_kept(_map_text)(names)),
        format_html_join("\n  ", "{}", ((_kept(_module_tags)(one),) for one in names)),
    )


@register.simple_tag
def colour(name: str, scheme: str) -> str:
    """Print a colour of the style sheet where a browser reads no style sheet; "light" or "dark"."""
    return colours()[name][scheme]


@register.filter
def moment(at: datetime | None, precision: str = "") -> str:
    """Print a moment with its zone (``precision``: "seconds", or to the minute); "" for none."""
    return moment_text(at, seconds=precision == "seconds") if at else ""


@register.filter
def day(at: datetime | None) -> str:
    """Print the day of a moment with its zone; "" for none."""
    return day_text(at) if at else ""


@register.filter
def error_link(code: str) -> SafeString:
    """Print a code with a link to what it means; one that has no words as it is, "" for none."""
    if site_words_of(code) is None:
        return format_html('<span class="hash">{}</span>', code) if code else SafeString("")
    return format_html('<a class="hash" href="{}#{}">{}</a>', reverse("errors"), code, code)


@register.simple_tag
def error_texts(*codes: str) -> SafeString:
    """Print the sentences of codes that a page's scripts find out themselves.

    Each stands under ``error_<code>``, ``error_<code>_kept`` and ``error_<code>_next``; a script
    links such a code, so one without an entry is a LookupError.
    """
    told = [
        (f"error_{code}{part}", _(sentence))
        for code in codes
        for part, sentence in zip(("", "_kept", "_next"), _words(code), strict=True)
    ]
    return format_html_join("\n  ", '<i data-text="{}">{}</i>', told)


def _words(code: str) -> Words:
    found = site_words_of(code)
    if found is None:
        raise LookupError(code)
    return found


@register.simple_tag
def policy_texts() -> SafeString:
    """Print what people read for each word that a policy to be signed holds.

    Each stands under ``word_<word>``; what a criterion asks also under ``asks_<criterion>``, with
    places for the limit and for the names of both decisions.
    """
    places = {place: f"{{{place}}}" for place in ("limit", "yes", "no")}
    told = [
        *((f"word_{word}", title_of(word)) for words in WORDS_OF_POLICIES for word in words),
        *((f"asks_{name}", criterion_clause(name, places, _)) for name in RATE_CRITERIA),
    ]
    return format_html_join("\n  ", '<i data-text="{}">{}</i>', told)


def _kept(cached: Any) -> Callable[..., Any]:
    """Return a function with its memory, without it where files change while the site runs."""
    return cached.__wrapped__ if settings.DEBUG else cached  # type: ignore[no-any-return]


@lru_cache(maxsize=512)
def _digest(name: str) -> str:
    return digest_of(name)


@lru_cache(maxsize=64)
def _module_tags(name: str) -> SafeString:
    addressed = [(staticfiles_storage.url(one), digest_of(one)) for one in imports_of(name)]
    preloads = format_html_join(
        "\n  ", '<link rel="modulepreload" href="{}" integrity="{}">', addressed
    )
    own = staticfiles_storage.url(name), digest_of(name)
    tag = format_html('<script type="module" src="{}" integrity="{}"></script>', *own)
    return format_html("{}\n  {}", preloads, tag)


@lru_cache(maxsize=64)
def _map_text(names: tuple[str, ...]) -> str:
    imports: dict[str, str] = {}
    digests: dict[str, str] = {}
    needed = needed_by(names)
    for name in needed:
        plain, served = f"{settings.STATIC_URL}{name}", staticfiles_storage.url(name)
        if plain != served:
            imports[plain] = served
        digests[served] = digest_of(name)
    for bare, name in BARE_NAMES.items():
        if name in needed:
            imports[bare] = staticfiles_storage.url(name)
    document = {"imports": imports, "integrity": digests}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c")
