"""What goes wrong for a caller of a service.

::

    Problem                 code, detail, kept, next; `status` is what HTTP calls it
    ├── Unusable     422    the input can't be used as it is
    ├── NotAllowed   403    the caller may see the thing, but not do this with it
    ├── NotThere     404    no such thing, or not for the caller's eyes
    ├── Refused      409    the input is fine, the state of things is not
    ├── TooMany      429    a limit is reached
    ├── Outdated     409    a stored text that this version of the site can't read
    ├── TooLarge     413    more bytes than are taken
    └── Unreachable  503    a part of the site is away for a moment

Each says what happened (`detail`), what was kept (`kept`) and what to do (`next`), in plain words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

from blindjustice_web.lib.error_words import said_of, site_words_of

Text = str | Promise

NOT_EXPLAINED = "about:blank"
"""The type of a problem whose code has no entry among the site's words (RFC 9457)."""
AWAY = (OperationalError, InterfaceError, InternalError)
"""What a database raises that is away, or takes no changes."""


class Problem(Exception):
    """Something a caller can understand and act upon.

    ``kept`` and ``next_step`` are what the code's words say, unless the case at hand knows better.
    """

    status = 400
    title: Text = _("The request can't be carried out")

    def __init__(
        self,
        code: str,
        detail: Text,
        *,
        kept: Text = "",
        next_step: Text = "",
    ) -> None:
        super().__init__(code)
        said = said_of(code)
        self.code = code
        self.detail = detail
        self.kept = kept or _(said.kept)
        self.next_step = next_step or _(said.next)

    def as_json(self) -> dict[str, Any]:
        """Return the members of an RFC 9457 problem document."""
        page = f"{reverse('errors')}#{self.code}" if site_words_of(self.code) else NOT_EXPLAINED
        return {
            "type": page,
            "title": str(self.title),
            "status": self.status,
            "code": self.code,
            "detail": str(self.detail),
            "kept": str(self.kept),
            "next": str(self.next_step),
        }


@dataclass(frozen=True)
class FieldFault:
    """What is wrong with one field: its path in the input, a sentence that begins with it."""

    field: str
    sentence: str


class Unusable(Problem):
    """The input can't be used as it is; ``faults`` lists every field, where it is known."""

    status = 422
    title = _("The input can't be used as it is")

    def __init__(
        self,
        code: str,
        detail: Text,
        *,
        next_step: Text = "",
        faults: Sequence[FieldFault] = (),
    ) -> None:
        super().__init__(code, detail, next_step=next_step)
        self.faults = faults

    def as_json(self) -> dict[str, Any]:
        """Return the members of a problem document, with the fields at fault."""
        listed = [{"field": fault.field, "sentence": fault.sentence} for fault in self.faults]
        return {**super().as_json(), **({"faults": listed} if listed else {})}


class NotAllowed(Problem):
    """The caller may see the thing, but not do this with it."""

    status = 403
    title = _("You may not do this")


class NotThere(Problem):
    """No such thing, or not for the caller's eyes: both look the same from outside."""

    status = 404
    title = _("There is nothing here for you")

    def __init__(self, code: str = "NOT_FOUND") -> None:
        super().__init__(
            code,
            _("There is no such thing, or you may not see it."),
            next_step=_("Check the address, and that you are logged in as the right person."),
        )


class Refused(Problem):
    """The input is fine, the state of things is not."""

    status = 409
    title = _("Not at this moment")


class Outdated(Problem):
    """A stored text that this version of the site can't read: of another one, or altered."""

    status = 409
    title = _("This can't be shown by this version")

    def __init__(self) -> None:
        super().__init__(
            "TEXT_NOT_READABLE",
            _(
                "This shows a text that this version of the site can't read. Another version wrote "
                "it, or it was altered."
            ),
            kept=_("The text is kept as it is."),
            next_step=_("Ask whoever operates this site; the version that wrote it shows it."),
        )


class TooMany(Problem):
    """A limit is reached; where waiting helps, ``retry_after_s`` says how long."""

    status = 429
    title = _("A limit is reached")

    def __init__(
        self, code: str, detail: Text, *, next_step: Text = "", retry_after_s: int = 0
    ) -> None:
        super().__init__(code, detail, next_step=next_step)
        self.retry_after_s = retry_after_s


class Unreachable(Problem):
    """A part of the site is away for a moment."""

    status = 503
    title = _("Not at this moment")


def away(error: Exception) -> Unreachable | None:
    """Return the problem of a service that is away for the moment, or None for other errors.

    A database that only reads is away for whoever wants something kept.
    """
    if isinstance(error, RedisError):
        code, detail = "BROKER_AWAY", _("A part of this site can't be reached.")
    elif isinstance(error, AWAY):
        code, detail = "DATABASE_AWAY", _("This site can't keep anything at the moment.")
    else:
        return None
    return Unreachable(code, detail, next_step=_("Wait a minute, then try again."))


class TooLarge(Problem):
    """More bytes than are taken."""

    status = 413
    title = _("Too large")


def problem_document(problem: Problem) -> HttpResponse:
    """Return a problem as the API says it (RFC 9457)."""
    response = JsonResponse(
        problem.as_json(), status=problem.status, content_type="application/problem+json"
    )
    return with_wait(response, problem)


def with_wait(response: HttpResponse, problem: Problem) -> HttpResponse:
    """Return a response that also says in its header how long to wait."""
    if isinstance(problem, TooMany) and problem.retry_after_s:
        response.headers["Retry-After"] = str(problem.retry_after_s)
    return response
