"""What a party finds in its own zone: the files a job needs, and the key its studies name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from mpc_engine.control.post.line_report import Found, Point
from mpc_engine.errors import ResourceError
from mpc_engine.party.studies.known_study import get_study
from mpc_engine.party.zone.faults import as_engine_error
from mpc_engine.party.zone.party import Party
from mpc_engine.party.zone.private_files import as_owner_of


def check_files(party: Party) -> str:
    """Return how many files a job needs, each open to the user that owns the party's directory.

    Root tries as that user: a command run as root must not find well what the worker cannot read.
    Raises ResourceError ``FILE_NOT_READABLE`` naming those that are not.
    """
    with as_owner_of(party.config.data_dir):
        tried = {path: os.access(path, mode, effective_ids=True) for path, mode in _of(party)}
        closed = sorted(
            p.name for p, is_open in tried.items() if not is_open and os.path.lexists(p)
        )
    if closed:
        raise ResourceError(
            f"{', '.join(closed)}: not open to the user that owns {party.config.data_dir}. "
            "Give these files to that user (chown); until then no job runs.",
            code="FILE_NOT_READABLE",
        )
    return f"{len(tried)} files that jobs need are open to the party's user"


def check_signing_key(party: Party) -> str:
    """Return that every study names the signing key in use; closed ones certify and train with it.

    Raises ResourceError ``SIGNING_KEY_OTHER``: what this party signs counts in none of the others.
    """
    with party.database.reading() as connection:
        rows = connection.execute("SELECT study_id FROM studies ORDER BY study_id").fetchall()
        studies = [get_study(connection, row["study_id"]).configuration for row in rows]
    own = party.keys.signing.public_bytes
    others = [study for study in studies if study.party(party.role).signing_key != own]
    if others:
        named = ", ".join(f'"{study.title}" ({study.study_id.hex()})' for study in others[:3])
        raise ResourceError(
            f"signing.key is not the key that {len(others)} studies name, such as {named}: "
            "what this party signs does not count there. Put the earlier signing.key back.",
            code="SIGNING_KEY_OTHER",
        )
    return f"{len(studies)} studies name the signing key in use"


def found_here(party: Party) -> dict[Point, Found]:
    """Return both checks as a report of the line tells them."""
    checks = {Point.FILES: check_files, Point.SIGNING_KEY: check_signing_key}
    return {point: _found(check, party) for point, check in checks.items()}


def _found(check: Callable[[Party], str], party: Party) -> Found:
    try:
        check(party)
    except Exception as error:
        as_engine_error(error)
        return Found.FAILED
    return Found.OK


def _of(party: Party) -> Iterator[tuple[Path, int]]:
    """Yield what a job opens, and how: its directories and store to write, the rest to read.

    A file that is missing, or goes meanwhile, is told of elsewhere or needed by nobody.
    """
    for place in (party.config.data_dir, party.keys.directory):
        yield place, os.R_OK | os.W_OK | os.X_OK
        if not os.access(place, os.R_OK | os.X_OK, effective_ids=True):
            return
    for path in party.keys.directory.iterdir():
        yield path, os.R_OK
    store = party.database.path
    for path in store.parent.glob(f"{store.name}*"):
        yield path, os.R_OK | os.W_OK
    for path in (party.config.broker_url_file, party.config.peer_public, party.config.own_public):
        yield path, os.R_OK
