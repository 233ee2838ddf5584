"""People log in by e-mail; an organisation takes part as modeler or as regulator."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.labels import PartyRole
from blindjustice_web.lib.labels.runs import ROLES


class Role(models.TextChoices):
    """The two parties of every computation."""

    MODELER = PartyRole.MODELER.value, ROLES[PartyRole.MODELER].title
    REGULATOR = PartyRole.REGULATOR.value, ROLES[PartyRole.REGULATOR].title

    @property
    def peer(self) -> Role:
        """Return the other party."""
        return Role.REGULATOR if self is Role.MODELER else Role.MODELER


class UserAccounts(BaseUserManager["User"]):
    """Create users by e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Create a person; without a password she can't log in until she resets it."""
        if not email:
            raise ValueError("a user needs an e-mail address")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        """Find a user by e-mail address, whatever its case."""
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """Anyone with an account; without a membership, a person whose data is used."""

    email = models.EmailField(_("e-mail address"), unique=True)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)

    wants_mail = models.BooleanField(_("notices by e-mail"), default=True)

    objects: ClassVar[UserAccounts] = UserAccounts()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email


class Organisation(models.Model):
    """An organisation that takes part in studies in one role."""

    id = models.CharField(primary_key=True, max_length=32, default=fresh_id, editable=False)
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=Role.choices)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person acts for an organisation; the role is the organisation's."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user",), name="one_membership_per_user"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.organisation}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the membership under the role of its organisation."""
        self.role = self.organisation.role
        super().save(*args, **kwargs)


def display_name(user: User) -> str:
    """Return how pages name a user."""
    return user.email
