"""A state directory as an operator may leave one, before an installation starts on it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from docker.local import zones
from docker.local.party import NAMES
from docker.local.stack import choose_place
from tests.machine_code import compiled_for, lend_to

_place = cache(choose_place)
"""The code that this machine's installations run, and whether their zones have their own users."""


def prepare_state(state: Path, party_settings: Mapping[str, int]) -> None:
    """Make the zones' directories, with settings in both parties' files and machine code at hand.

    The installation adds to ``party.toml`` what it decides itself.
    """
    code, separate = _place()
    compiled_for(code.python, code.root)
    made = zones.make_zones(state, separate=separate)
    lines = "".join(f"{key} = {value}\n" for key, value in party_settings.items())
    for role in zones.PARTIES:
        zone = made[role]
        owner = None if zone.uid is None or zone.gid is None else (zone.uid, zone.gid)
        lend_to(zone.folder / "numba-cache", owner)
        if lines:
            zone.write("party.toml", f'name = "{NAMES[role]}"\n{lines}')
