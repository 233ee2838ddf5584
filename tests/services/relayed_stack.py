"""The stack, but the modeler's party reaches the other one at a port of this machine.

``python -m tests.services.relayed_stack PORT up``; a relay listens there.
"""

from __future__ import annotations

import sys
from unittest.mock import patch

from docker.local.party import Party
from docker.local.stack import main

_configure = Party.configure


def _configure_by_relay(party: Party, broker_url: str, address: str) -> None:
    by_relay = f"127.0.0.1:{sys.argv[1]}"
    _configure(party, broker_url, by_relay if party.role == "modeler" else address)


if __name__ == "__main__":
    with patch.object(Party, "configure", _configure_by_relay):
        sys.exit(main(sys.argv[2:]))
