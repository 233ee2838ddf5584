"""Show a report of the lab on this site, or none any more."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from blindjustice_web.engine.engine_lab import MAX_REPORT_BYTES
from blindjustice_web.lab.services import publish, withdraw
from blindjustice_web.lib.problems import Unusable

FILE = "report.json"


class Command(BaseCommand):
    """Publish what ``./run lab`` wrote into a folder, in the place of what was published before."""

    help = "Show the lab's report of a folder on the site, for anyone; --withdraw: show none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the folder, or the order to withdraw."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("folder", nargs="?", type=Path, help=f"where {FILE} lies")
        which.add_argument("--withdraw", action="store_true", help="show no report any more")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and say where to look."""
        if options["withdraw"]:
            said = "The report is withdrawn." if withdraw() else "There is no report to withdraw."
            self.stdout.write(said)
            return
        try:
            report = publish(_read(options["folder"] / FILE))
        except Unusable as problem:
            raise CommandError(f"{problem.code}: {problem.detail}") from None
        self.stdout.write(f"{report.figures.count()} figures are shown at {reverse('lab')}")


def _read(path: Path) -> bytes:
    """Return a file, of one that is too large just so much that it is refused."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_REPORT_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{path} can't be read: {error.strerror}.") from None
