"""Turning whatever went wrong into a code and a plain sentence, without saying any value."""

from __future__ import annotations

import logging
import sqlite3
import traceback

from mpc_engine.errors import EngineError, ResourceError, cause_of, named

_log = logging.getLogger(__name__)
INTERNAL = "PARTY_INTERNAL_ERROR"
MAX_SENTENCE = 900
DISK_FULL = ("SQLITE_FULL", "ENOSPC", "EDQUOT")
_LOGGED: set[tuple[str, str]] = set()
"""What `log_once` has logged in this process."""


def as_engine_error(error: Exception) -> EngineError:
    """Return an EngineError as it is, and others as a ResourceError that names none of their text.

    The text of an unforeseen exception may hold values of people or of the model, so only where it
    was raised is logged.
    """
    if isinstance(error, EngineError):
        return error
    _log.error("unforeseen %s at %s", named(error), _place(error))
    if isinstance(error, sqlite3.IntegrityError):
        return ResourceError("The same thing arrived twice at one moment.", code="DOUBLED_ORDER")
    if cause_of(error) in DISK_FULL:
        return ResourceError(
            "The disk of the party's machine is full. Nothing is lost; when its operator has made "
            "room, try again.",
            code="DISK_FULL",
        )
    if isinstance(error, sqlite3.Error | OSError | MemoryError):
        return ResourceError(
            "The party's machine could not do this now (storage, memory or network). "
            "Nothing is lost; try again later.",
            code="RESOURCE_MISSING",
        )
    return ResourceError(
        "Something went wrong inside the party; its operator finds the place in the log.",
        code=INTERNAL,
    )


def log_once(log: logging.Logger, sentence: str, error: Exception) -> None:
    """Log what failed with its code, once in a process for each: a duty of every second fails anew.

    ``sentence`` names the duty, and no value.
    """
    code = error.code if isinstance(error, EngineError) else named(error)
    if (sentence, code) not in _LOGGED:
        _LOGGED.add((sentence, code))
        log.error("%s: %s", sentence, as_engine_error(error).code)


def refusal_values(error: EngineError) -> dict[str, str]:
    """Return code and sentence as messages carry them: plain text, cut to a sensible length.

    A sentence may quote a name out of what was refused, so nothing is assumed about its text.
    """
    printable = "".join(
        character if character.isprintable() else " " for character in error.sentence
    )
    return {"code": error.code[:80], "sentence": printable[:MAX_SENTENCE] or "It was refused."}


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    return " > ".join(f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in frames)
