"""Run a party's command: ``python -m mpc_engine.party --config party.toml <command>``."""

from __future__ import annotations

import sys

from mpc_engine.party.commands.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
