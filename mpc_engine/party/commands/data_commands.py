"""Commands about committed data: make the commitment, show its rows, check shown ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.data_commitment import (
    check_opened,
    open_rows,
    opening_text,
    parse_opening,
)
from mpc_engine.control.texts.fields import parse_hex
from mpc_engine.errors import UsageError
from mpc_engine.party.commands.given_files import read_given_file
from mpc_engine.party.services.committed_data import commit_data, committed_rows
from mpc_engine.party.studies.known_study import load_study
from mpc_engine.party.zone.config import PartyConfig
from mpc_engine.party.zone.party import Party
from mpc_engine.party.zone.private_files import write_private
from mpc_engine.sharing.encoding import shown_value

Open = Callable[[PartyConfig], Party]
AddCommand = Callable[[str, object, str], argparse.ArgumentParser]


def add_data_commands(command: AddCommand, open_party: Open) -> None:
    """Add the commands to the party's command line."""
    commit = command(
        "commit-data",
        lambda config, options: _commit(open_party(config), options),
        "keep a table to train on and write a draft that commits to it (modeler)",
    )
    commit.add_argument("--draft", type=Path, required=True, help="the study's draft, JSON")
    commit.add_argument("--csv", type=Path, required=True, help="case_id, features and outcome")
    add_decimal_comma(commit)
    commit.add_argument("--out", type=Path, required=True, help="the draft to propose")
    show = command(
        "open-rows",
        lambda config, options: _open_rows(open_party(config), options),
        "show rows of a study's committed data to an auditor (modeler)",
    )
    show.add_argument("--study", required=True, help="study id, hex")
    show.add_argument("--rows", required=True, help="row numbers from 0, separated by commas")
    show.add_argument("--out", type=Path, required=True, help="the file to write (mode 600)")
    check = command(
        "check-rows",
        lambda config, options: _check_rows(open_party(config), options),
        "check rows that the modeler showed against the commitment that both parties signed",
    )
    check.add_argument("file", type=Path)
    check.add_argument("--study", required=True, help="study id, hex")


def add_decimal_comma(command: argparse.ArgumentParser) -> None:
    """Add the option of every command that reads a table."""
    command.add_argument(
        "--decimal-comma", action="store_true", help="the table writes 1,5 for one and a half"
    )


def tell_left_out(titles: Sequence[str]) -> None:
    """Print which columns of a table were not read."""
    if titles:
        print(f"Columns left out: {', '.join(titles)}")


def _commit(party: Party, options: argparse.Namespace) -> int:
    try:
        draft = json.loads(read_given_file(options.draft))
    except (ValueError, RecursionError):
        draft = None
    if not isinstance(draft, dict):
        raise UsageError("The draft is not a JSON object.", code="CONFIGURATION_INVALID")
    table = read_given_file(options.csv)
    commitment, case_ids, left_out = commit_data(
        party, draft, table, decimal_comma=options.decimal_comma
    )
    text = json.dumps({**draft, "data_commitment": commitment.to_json()}, indent=2)
    write_private(options.out, (text + "\n").encode("utf-8"))
    print(
        f"{len(case_ids)} rows are committed to as {commitment.root.hex()}; the draft to propose "
        f"is in {options.out}. Invitations follow the rows' order: the first is for {case_ids[0]}."
    )
    tell_left_out(left_out)
    return 0


def _open_rows(party: Party, options: argparse.Namespace) -> int:
    configuration = _configuration(party, options.study)
    try:
        positions = [int(number) for number in options.rows.split(",")]
    except ValueError:
        raise UsageError("--rows takes numbers separated by commas.") from None
    opened = open_rows(committed_rows(party, configuration), positions)
    text = opening_text(configuration.digest, opened) + "\n"
    write_private(options.out, text.encode("utf-8"))
    print(f"{len(opened)} rows are in {options.out}; whoever has the file knows them.")
    return 0


def _check_rows(party: Party, options: argparse.Namespace) -> int:
    configuration = _configuration(party, options.study)
    commitment = configuration.data_commitment
    if commitment is None:
        raise UsageError("This study has no committed data.", code="DATA_NOT_COMMITTED")
    opened = parse_opening(read_given_file(options.file), configuration.digest)
    for each in opened:
        check_opened(commitment, configuration.encoding_digest, each)
    for each in opened:
        record = commitment.record_id(each.row.position).hex()
        values = ", ".join(
            f"{feature.name} {shown_value(value, feature.unit, configuration.x_frac_bits)}"
            for feature, value in zip(configuration.features, each.row.x, strict=True)
        )
        print(f"ok    row {each.row.position} (record {record}): {values}; outcome {each.row.y}")
    return 0


def _configuration(party: Party, study: str) -> Configuration:
    return load_study(party, parse_hex(study, 16, "--study")).configuration
