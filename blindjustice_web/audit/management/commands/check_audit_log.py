"""Go through the whole chain of the audit log."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from blindjustice_web.audit.chain import check_chain


class Command(BaseCommand):
    """Say whether the chain is intact; end with an error where it is not."""

    help = "Check the chain of digests over the audit log; keep the last one to compare with later."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print how many entries there are and the last digest."""
        state = check_chain()
        if state.broken_at is not None:
            raise CommandError(f"The chain is broken at link {state.broken_at}.")
        self.stdout.write(
            f"Chain intact: {state.n_entries} entries, last digest {state.last_digest}"
        )
