"""The command that checks a downloaded certificate, for anybody: it needs no party.

It ends with 0 for a certificate that is valid and not known to be revoked, with `REVOKED` (2) for
one that was, and with 1 where a file is forged, about something else, unreadable or out of date.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from mpc_engine.control.files.descriptor import parse_descriptor
from mpc_engine.errors import UsageError
from mpc_engine.party.commands.certificate_check import (
    Checker,
    anybody,
    check_certificate,
    party_checker,
)
from mpc_engine.party.commands.given_files import read_given_file
from mpc_engine.party.zone.config import PartyConfig
from mpc_engine.party.zone.party import Party
from mpc_engine.roles import Role

REVOKED = 2
EXIT_CODES = (
    "Ends with 0: valid, and not known to be revoked. 1: not valid, or a file that cannot be "
    "believed. 2: revoked. 64: wrong arguments."
)
_KEY = re.compile(r"[0-9a-f]{32}|[0-9a-f]{64}", re.ASCII)


def add_check_command(
    command: Callable[[str, object, str], argparse.ArgumentParser],
    open_party: Callable[[PartyConfig], Party],
) -> None:
    """Add the command to the party's command line, where it runs without --config too."""

    def run(config: PartyConfig | None, options: argparse.Namespace) -> int:
        checker = (
            anybody(datetime.now(UTC)) if config is None else party_checker(open_party(config))
        )
        given = {role: getattr(options, f"{role.value}_key") for role in Role}
        keys = {role: _key(role, text) for role, text in given.items() if text is not None}
        checker = replace(checker, keys={**checker.keys, **keys})
        if set(checker.keys) != set(Role):
            check.error(
                "whose signatures count? Give --modeler-key and --regulator-key: the fingerprints "
                "that the two organisations publish, or the files of their public descriptors"
            )
        return _check(checker, options)

    check = command("check-certificate", run, "check a downloaded certificate")
    check.epilog = EXIT_CODES
    check.set_defaults(needs_party=False)
    check.add_argument("file", type=Path, help="the certificate as downloaded")
    for role in Role:
        check.add_argument(
            f"--{role.value}-key",
            help=f"the {role.value}'s key: its fingerprint or itself, hex, or the file of its "
            "public descriptor (not needed with --config)",
        )
    check.add_argument("--configuration", type=Path, help="the study's configuration text")
    check.add_argument("--revocation", type=Path, help="the revocation its page hands out")
    check.add_argument("--list", type=Path, help="the regulator's list of revocations")


def _check(checker: Checker, options: argparse.Namespace) -> int:
    finding = check_certificate(
        checker,
        read_given_file(options.file),
        configuration=_read_given(options.configuration),
        revocation=_read_given(options.revocation),
        revocation_list=_read_given(options.list),
    )
    for sentence in (finding.sentence, *finding.remarks):
        print(sentence)
    return REVOKED if finding.is_revoked else 0


def _key(role: Role, given: str) -> bytes:
    """Return a key or its fingerprint, from hex or from a file that names the key of that role."""
    if _KEY.fullmatch(given):
        return bytes.fromhex(given)
    descriptor = parse_descriptor(read_given_file(Path(given)))
    if descriptor.role is not role:
        raise UsageError(
            f"{given} is the descriptor of the {descriptor.role.value}, not of the {role.value}.",
            code="KEY_OF_OTHER_ROLE",
        )
    return descriptor.signing_key


def _read_given(path: Path | None) -> bytes | None:
    return None if path is None else read_given_file(path)
