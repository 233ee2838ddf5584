"""Writes on people and organisations."""

from __future__ import annotations

import secrets

from django.db import transaction

from blindjustice_web.accounts.models import Membership, Organisation, Role, User


@transaction.atomic
def ensure_organisation(name: str, role: Role) -> Organisation:
    """Return the organisation of this name and role; create it where it is missing."""
    organisation, _ = Organisation.objects.get_or_create(name=name, role=role)
    return organisation


@transaction.atomic
def ensure_user(email: str, organisation: Organisation | None) -> tuple[User, str]:
    """Return a user with a fresh random password, and that password; create her where missing."""
    password = secrets.token_urlsafe(12)
    user = User.objects.filter(email=email).first() or User(email=email)
    user.set_password(password)
    user.save()
    Membership.objects.filter(user=user).delete()
    if organisation is not None:
        Membership.objects.create(user=user, organisation=organisation)
    return user, password
