"""Who acts now: whoever sent the request, the party whose message is taken, or the site itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from blindjustice_web.accounts.models import Organisation, Role
from blindjustice_web.accounts.selectors import Viewer, membership_of
from blindjustice_web.audit.models import ActorKind

Handler = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True)
class Actor:
    """Who did something: a kind of actor and, for members, which of which organisation."""

    kind: ActorKind
    organisation: Organisation | None = None
    member: int | None = None


SITE = Actor(ActorKind.SITE)
_actor_now: ContextVar[Callable[[], Actor]] = ContextVar("actor", default=lambda: SITE)


def actor_now() -> Actor:
    """Return who acts now."""
    return _actor_now.get()()


def actor_of(user: Viewer) -> Actor:
    """Return a user as an actor; people and visitors stay nameless."""
    membership = membership_of(user)
    if membership is not None:
        return Actor(ActorKind(membership.role), membership.organisation, user.pk)
    return Actor(ActorKind.PERSON if user.is_authenticated else ActorKind.VISITOR)


def party_of(role: Role) -> Actor:
    """Return the party of a role as an actor."""
    return Actor(ActorKind.MODELER_PARTY if role is Role.MODELER else ActorKind.REGULATOR_PARTY)


@contextmanager
def acting(who: Callable[[], Actor]) -> Iterator[None]:
    """Let somebody act until the end of the block; who it is, is asked when something is done."""
    token = _actor_now.set(who)
    try:
        yield
    finally:
        _actor_now.reset(token)


class ActorMiddleware:
    """Let whoever sent a request act in it."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on."""
        with acting(lambda: actor_of(request.user)):
            return self._get_response(request)
