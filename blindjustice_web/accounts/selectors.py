"""Who somebody is on this site."""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpRequest

from blindjustice_web.accounts.models import Membership, Organisation, Role, User

Viewer = User | AnonymousUser


def user_of(request: HttpRequest) -> User:
    """Return the logged-in user; only for addresses that demand a log-in."""
    return cast(User, request.user)


def membership_of(user: Viewer) -> Membership | None:
    """Return the one membership of a user, or None for a person and for a visitor."""
    if not user.is_authenticated:
        return None
    return Membership.objects.select_related("organisation").filter(user=user).first()


def role_of(user: Viewer) -> Role | None:
    """Return the role a user acts in, or None."""
    membership = membership_of(user)
    return Role(membership.role) if membership else None


def organisations(role: Role) -> QuerySet[Organisation]:
    """Return the organisations that take part in one role."""
    return Organisation.objects.filter(role=role).order_by("name")


def first_users(limit: int) -> QuerySet[User]:
    """Return so many users, those first who have been here longest."""
    return User.objects.order_by("pk")[:limit]
