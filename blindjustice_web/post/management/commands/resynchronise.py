"""Bring back what this site lost, from what both parties hold."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from blindjustice_web.post.outbox import ask_to_resynchronise


class Command(BaseCommand):
    """Ask both parties to tell again what they hold; their answers come within a minute."""

    help = "After an older backup of the site's database: bring back studies and certificates."

    def handle(self, *args: Any, **options: Any) -> None:
        """Send the order, and say where to look."""
        ask_to_resynchronise()
        self.stdout.write(
            "Both parties are asked. What they bring back is in the audit log within a minute "
            "after both run; nothing that the site has is changed."
        )
