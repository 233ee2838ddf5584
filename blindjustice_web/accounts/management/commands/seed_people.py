"""Create the cast of a demonstration: two organisations and three people."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.core.management.base import BaseCommand, CommandParser

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.services import ensure_organisation, ensure_user


class Command(BaseCommand):
    """Make log-ins with fresh random passwords; running it again makes new passwords."""

    help = "Create the organisations and log-ins of a demonstration and print the passwords."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the names and where the passwords go."""
        parser.add_argument("--modeler", default="Meridian Bank", help="name of the modeler")
        parser.add_argument(
            "--regulator", default="Fairness Authority", help="name of the regulator"
        )
        parser.add_argument("--domain", default="example.org", help="domain of the addresses")
        parser.add_argument("--passwords-file", help="write there (mode 600) instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create everybody and give out the passwords once."""
        modeler = ensure_organisation(options["modeler"], Role.MODELER)
        regulator = ensure_organisation(options["regulator"], Role.REGULATOR)
        people = []
        for name, organisation in (("mo", modeler), ("rae", regulator), ("uma", None)):
            user, password = ensure_user(f"{name}@{options['domain']}", organisation)
            EmailAddress.objects.update_or_create(
                user=user, email=user.email, defaults={"verified": True, "primary": True}
            )
            role = organisation.role if organisation else "person"
            people.append({"email": user.email, "password": password, "role": role})
        text = json.dumps({"people": people}, indent=1)
        if options["passwords_file"]:
            write_private(Path(options["passwords_file"]), text)
        else:
            self.stdout.write(text)


def write_private(path: Path, text: str) -> None:
    """Write a file that only this system user can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text + "\n")
