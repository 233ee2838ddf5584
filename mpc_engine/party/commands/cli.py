"""The party's command line: set up, look after, decide, check."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from mpc_engine.control.files.descriptor import approver_file
from mpc_engine.control.files.model_file import model_text
from mpc_engine.control.texts.fields import parse_hex
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.error_words import words_of
from mpc_engine.errors import EngineError, ResourceError
from mpc_engine.party.commands.check_command import add_check_command
from mpc_engine.party.commands.data_commands import (
    add_data_commands,
    add_decimal_comma,
    tell_left_out,
)
from mpc_engine.party.commands.decision_files import write_decision_records
from mpc_engine.party.commands.given_files import read_given_file
from mpc_engine.party.commands.self_test import self_test
from mpc_engine.party.services.case_file import read_cases
from mpc_engine.party.services.decisions import decide_cases
from mpc_engine.party.services.models import find_model
from mpc_engine.party.studies.known_study import load_study
from mpc_engine.party.worker.celery_worker import PartyWorker
from mpc_engine.party.worker.status import read_status
from mpc_engine.party.zone.config import PartyConfig, load_config
from mpc_engine.party.zone.party import Party, create_party, open_party
from mpc_engine.party.zone.private_files import write_private, write_public

WRONG_ARGUMENTS = 64


def main(arguments: Sequence[str]) -> int:
    """Run one command; return 0 if it did what it should, 1 if it refused or found a fault.

    `check-certificate` returns 2 for a certificate that was revoked. Wrong arguments end the
    program with `WRONG_ARGUMENTS`.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.config is None and options.needs_party:
        parser.error("this command is about a party: give --config, the party's party.toml")
    try:
        config = None if options.config is None else load_config(options.config)
        run: Callable[[PartyConfig | None, argparse.Namespace], int] = options.run
        return run(config, options)
    except EngineError as error:
        _tell(error)
        return 1
    except PermissionError as error:
        sentence = f"{error.filename} is not open to this user."
        _tell(ResourceError(sentence, code="FILE_NOT_READABLE"))
        return 1


def _tell(error: EngineError) -> None:
    """Print what went wrong, and what the words of its code say was kept and is to be done."""
    print(f"{error.code}: {error.sentence}", file=sys.stderr)
    words = words_of(error.code)
    if words is not None:
        print(f"Kept: {words.kept}\nNext: {words.next}", file=sys.stderr)


class _Parser(argparse.ArgumentParser):
    """A parser that ends with a code of its own, which no finding shares (EX_USAGE, sysexits.h)."""

    def error(self, message: str) -> NoReturn:
        """Print the fault and how the command is used, and end the program."""
        self.print_usage(sys.stderr)
        self.exit(WRONG_ARGUMENTS, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m mpc_engine.party", description=__doc__)
    parser.add_argument("--config", type=Path, help="the party's party.toml")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, run: object, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.set_defaults(run=run, needs_party=True)
        return added

    command("init", _init, "make keys and store, whatever is missing; write the descriptor")
    command("self-test", _self_test, "check keys, peer, clock, store, kernels, protocols")
    command("status", _status, "print counts and versions as JSON")
    command("worker", _worker, "take orders until the process is told to end")
    command("public", _public, "print the public descriptor")
    approver = command("make-approver", _make_approver, "make a key that approves for this party")
    approver.add_argument("out", type=Path, help="the secret key file to write")
    decide = command("decide", _decide, "decide cases of a CSV and sign a record of each")
    decide.add_argument("--study", required=True, help="study id, hex")
    decide.add_argument("--certificate", required=True, help="certificate id, hex")
    decide.add_argument("--csv", type=Path, required=True, help="case_id and the features")
    add_decimal_comma(decide)
    decide.add_argument("--out", type=Path, required=True, help="directory for the records")
    export = command("export-model", _export_model, "write a model of this party as a model file")
    export.add_argument("model", help="model id, hex")
    export.add_argument("out", type=Path, help="the file to write, for your eyes only (mode 600)")
    export.add_argument("--study", help="id, hex, of another study to hand it in to")
    add_data_commands(command, _open)
    add_check_command(command, _open)
    return parser


def _init(config: PartyConfig, _: argparse.Namespace) -> int:
    create_party(config)
    party = _open(config)
    _write_descriptor(party)
    print(f"The {config.role.value}'s party is ready; its descriptor: {config.own_public}")
    return 0


def _self_test(config: PartyConfig, _: argparse.Namespace) -> int:
    findings = self_test(_open(config))
    for finding in findings:
        print(f"{'ok    ' if finding.passed else 'FAILED'}  {finding.name}: {finding.sentence}")
        if finding.next:
            print(f"        Next: {finding.next}")
    return 0 if all(finding.passed for finding in findings) else 1


def _status(config: PartyConfig, _: argparse.Namespace) -> int:
    print(json.dumps(read_status(_open(config)), indent=2, sort_keys=True))
    return 0


def _worker(config: PartyConfig, _: argparse.Namespace) -> int:
    PartyWorker(config).run()
    return 0


def _public(config: PartyConfig, _: argparse.Namespace) -> int:
    print(_open(config).descriptor().to_text())
    return 0


def _make_approver(config: PartyConfig, options: argparse.Namespace) -> int:
    party = _open(config)
    key = P256SigningKey.generate(party.rng)
    write_private(options.out, approver_file(config.role, key).encode("ascii"))
    party.keys.add_approver(key.public_bytes)
    _write_descriptor(party)
    print(f"Approver key {key.key_id.hex()} is in {options.out}; hand it to the approver only.")
    return 0


def _decide(config: PartyConfig, options: argparse.Namespace) -> int:
    party = _open(config)
    study_id = parse_hex(options.study, 16, "--study")
    certificate_id = parse_hex(options.certificate, 16, "--certificate")
    configuration = load_study(party, study_id).configuration
    cases, left_out = read_cases(
        read_given_file(options.csv), configuration, decimal_comma=options.decimal_comma
    )
    records = decide_cases(party, study_id, certificate_id, cases)
    without_code = write_decision_records(options.out, records)
    n_favourable = sum(record.decision for record in records)
    print(
        f'{len(records)} decisions, {n_favourable} "{configuration.label.favourable}"; '
        f"records in {options.out}, each as a file and as a picture of its QR code"
    )
    tell_left_out(left_out)
    if without_code:
        print(f"Too long for a QR code, so handed out as files alone: {', '.join(without_code)}")
    return 0


def _export_model(config: PartyConfig, options: argparse.Namespace) -> int:
    party = _open(config)
    configuration, theta = find_model(party, parse_hex(options.model, 16, "model"))
    target = None
    if options.study is not None:
        target = load_study(party, parse_hex(options.study, 16, "--study")).configuration
    write_private(options.out, model_text(theta, configuration, target).encode("utf-8"))
    print(
        f"Model {options.model} is in {options.out}; it can be handed in to the study "
        f'"{(target or configuration).title}".'
    )
    return 0


def _open(config: PartyConfig) -> Party:
    return open_party(config, _no_broker)


def _no_broker(body: str, signature: str) -> None:
    raise ResourceError("Commands do not talk to the broker.")


def _write_descriptor(party: Party) -> None:
    path = party.config.own_public
    path.parent.mkdir(parents=True, exist_ok=True)
    write_public(path, (party.descriptor().to_text() + "\n").encode("utf-8"))
