"""Anybody checks a certificate offline, with its revocation and the keys of its parties."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mpc_engine.control.files.certificate import certificate_file
from mpc_engine.control.files.descriptor import (
    key_fingerprint,
)
from mpc_engine.control.files.revocation import (
    ListedRevocation,
    RevocationList,
    revocation_file,
    revocation_list_file,
    revocation_list_text,
    sign_revocation,
    sign_revocation_list,
)
from mpc_engine.control.studies.study_texts import Revocation, revocation_text
from mpc_engine.crypto.digests import sha256
from mpc_engine.party.commands.certificate_check import anybody
from mpc_engine.party.commands.cli import WRONG_ARGUMENTS, main
from mpc_engine.roles import Role
from tests.engine.party.command_line import config_of, in_the_time_of
from tests.engine.party.stories import certified_study
from tests.engine.party.world import START, M, R, World

pytestmark = pytest.mark.usefixtures("world_clock")


def _downloaded(world: World, tmp_path: Path) -> Path:
    """Return the file of the certificate that the parties signed last."""
    report = [m for m in world.messages(R, "job_result") if "certificate" in m.object("outcome")][
        -1
    ]
    outcome = report.object("outcome")
    file = tmp_path / "certificate.json"
    signatures = [bytes.fromhex(str(outcome[f"{role.value}_signature"])) for role in Role]
    file.write_text(certificate_file(str(outcome["certificate"]), *signatures))
    return file


def test_a_downloaded_certificate_is_checked_offline(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, _ = certified_study(world)
    file = _downloaded(world, tmp_path)
    configuration = tmp_path / "configuration.json"
    configuration.write_text(study.text + "\n")
    command = [*config_of(world, R), "check-certificate", str(file)]
    assert main(command) == 0
    assert main([*command, "--configuration", str(configuration)]) == 0
    said = capsys.readouterr().out
    assert "passed p_rule at 80 and acceptance_rate_difference at 10 on 3 records" in said
    assert "Whether it was revoked since was not checked" in said
    file.write_text(file.read_text().replace('n_records\\":3', 'n_records\\":4'))
    assert main(command) == 1
    assert "signature of the modeler" in capsys.readouterr().err


def _revocation_files(world: World, tmp_path: Path, certificate: bytes) -> tuple[Path, Path]:
    """Return the file of a revocation and of the list that names it, both by the regulator."""
    text = revocation_text(Revocation(certificate, "The sample was wrong.", START))
    key = world.parties[R].keys.signing
    statement = tmp_path / "revocation.json"
    statement.write_text(revocation_file(text, sign_revocation(text, key)) + "\n")
    listed = tmp_path / "list.json"
    row = ListedRevocation(certificate, sha256(text.encode()), START)
    list_text = revocation_list_text(
        RevocationList(4, START, START + timedelta(days=2), key.public_bytes, {certificate: row})
    )
    listed.write_text(revocation_list_file(list_text, sign_revocation_list(list_text, key)))
    return statement, listed


def test_a_revoked_certificate_is_told_from_a_valid_one(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, certificate = certified_study(world)
    file = _downloaded(world, tmp_path)
    statement, listed = _revocation_files(world, tmp_path, certificate)
    command = [*config_of(world), "check-certificate", str(file)]
    for option in (["--revocation", str(statement)], ["--list", str(listed)]):
        assert main([*command, *option]) == 2
        said = capsys.readouterr().out
        assert said.startswith(f"REVOKED: the regulator took certificate {certificate.hex()}")
        assert "2026-01-31 12:00 UTC" in said
        assert ("Reason: The sample was wrong." in said) is ("--revocation" in option)
    text = json.loads(statement.read_text())["text"]
    assert sha256(text.encode()).hex() in said


def test_a_list_without_the_certificate_says_of_which_day_it_is(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certified_study(world)
    file = _downloaded(world, tmp_path)
    _, listed = _revocation_files(world, tmp_path, b"another " * 2)
    assert main([*config_of(world), "check-certificate", str(file), "--list", str(listed)]) == 0
    said = capsys.readouterr().out
    assert "not revoked by 2026-01-31 12:00 UTC" in said
    assert "list 4" in said
    assert "due by 2026-02-02 12:00 UTC" in said


def test_a_forged_or_foreign_revocation_is_an_error_and_no_finding(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, certificate = certified_study(world)
    command = [*config_of(world), "check-certificate", str(_downloaded(world, tmp_path))]
    for name, altered, code in (
        (b"another " * 2, ("", ""), "REVOCATION_OTHER_CERTIFICATE"),
        (certificate, ("wrong", "right"), "REVOCATION_SIGNATURE_INVALID"),
    ):
        statement, _ = _revocation_files(world, tmp_path, name)
        statement.write_text(statement.read_text().replace(*altered))
        assert main([*command, "--revocation", str(statement)]) == 1
        assert code in capsys.readouterr().err
    _, listed = _revocation_files(world, tmp_path, certificate)
    listed.write_text(listed.read_text().replace(certificate.hex(), "11" * 16))
    assert main([*command, "--list", str(listed)]) == 1
    assert "REVOCATION_LIST_SIGNATURE_INVALID" in capsys.readouterr().err
    assert main([*command, "--list", str(statement)]) == 1


def test_a_list_that_is_out_of_date_is_no_proof(
    world: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    certified_study(world)
    file = _downloaded(world, tmp_path)
    _, listed = _revocation_files(world, tmp_path, b"another " * 2)
    in_the_time_of(monkeypatch, START + timedelta(days=2))
    assert main([*config_of(world), "check-certificate", str(file), "--list", str(listed)]) == 1
    assert "REVOCATION_LIST_OUTDATED" in capsys.readouterr().err


def test_a_party_says_what_it_knows_of_a_revocation_itself_also_of_an_old_certificate(
    world: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study, certificate = certified_study(world)
    file = _downloaded(world, tmp_path)
    text = revocation_text(Revocation(certificate, "The sample was wrong.", START))
    order = {
        "study_id": study.study_id.hex(),
        "certificate_id": certificate.hex(),
        "text": text,
        "statement_signature": sign_revocation(text, world.parties[R].keys.signing).hex(),
    }
    assert world.order(M, "take_revocation", order).kind == "certificate_revoked"
    in_the_time_of(monkeypatch, START + timedelta(days=4000))
    assert main([*config_of(world), "check-certificate", str(file)]) == 2
    assert "Reason: The sample was wrong." in capsys.readouterr().out
    assert main([*config_of(world, R), "check-certificate", str(file)]) == 1
    assert "CERTIFICATE_NOT_CURRENT" in capsys.readouterr().err


def test_anybody_checks_a_certificate_with_keys_from_elsewhere(
    world: World,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    certified_study(world)
    monkeypatch.setattr(
        "mpc_engine.party.commands.check_command.anybody", lambda _now: anybody(START)
    )
    command = ["check-certificate", str(_downloaded(world, tmp_path))]
    keys = {role: world.parties[role].descriptor() for role in Role}
    given = {
        "itself": {role: key.signing_key.hex() for role, key in keys.items()},
        "fingerprint": {role: key_fingerprint(key.signing_key) for role, key in keys.items()},
        "file": {role: str(world.parties[role].config.own_public) for role in Role},
    }
    for form in given.values():
        options = ["--modeler-key", form[M], "--regulator-key", form[R]]
        assert main([*command, *options]) == 0
        assert "passed p_rule at 80" in capsys.readouterr().out
    swapped = ["--modeler-key", given["fingerprint"][R], "--regulator-key", given["fingerprint"][M]]
    assert main([*command, *swapped]) == 1
    assert "CERTIFICATE_MODELER_KEY_DIFFERENT" in capsys.readouterr().err
    swapped = ["--modeler-key", given["file"][R], "--regulator-key", given["file"][R]]
    assert main([*command, *swapped]) == 1
    assert "KEY_OF_OTHER_ROLE" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check-certificate", "certificate.json"],
        ["check-certificate", "certificate.json", "--modeler-key", "00" * 16],
        ["check-certificate"],
        ["check-certificate", "certificate.json", "--lists", "x"],
        ["status"],
        [],
    ],
)
def test_wrong_arguments_end_with_a_code_that_no_finding_has(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == WRONG_ARGUMENTS == 64
    assert capsys.readouterr().err.startswith("usage:")


ALTERED: dict[str, tuple[Callable[[str], str], str]] = {
    "indented": (lambda text: json.dumps(json.loads(text), indent=2), "laid out in another way"),
    "turned round": (
        lambda text: json.dumps(dict(reversed(json.loads(text).items()))),
        "laid out in another way",
    ),
    "marked": (lambda text: "\ufeff" + text, "byte order mark"),
    "longer": (
        lambda text: json.dumps({**json.loads(text), "seen": 1.5}),
        '"text" is signed and was judged; fields that nobody signed: 1, named "seen"',
    ),
    "twins": (
        lambda text: json.dumps(
            {**dict.fromkeys("abcdefg", 0), **json.loads(text), "t\u0435xt": "?", "Text ": "?"}
        ),
        'nobody signed: 9, named "Text ", "t\\u0435xt", "a", "b", "c", "d", "e" and 2 more',
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_file_around_an_intact_text_is_named_and_the_text_judged(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    alter, said = ALTERED[name]
    _, certificate = certified_study(world)
    file = _downloaded(world, tmp_path)
    statement, listed = _revocation_files(world, tmp_path, certificate)
    for altered in (file, statement, listed):
        altered.write_text(alter(altered.read_text().rstrip()), "utf-8")
    command = [*config_of(world), "check-certificate", str(file)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "passed p_rule at 80" in out
    assert "The file of the certificate is not as it was handed out" in out
    assert said in out
    for option, what in (("--revocation", "revocation"), ("--list", "list of revocations")):
        assert main([*command, option, str(statement if what == "revocation" else listed)]) == 2
        assert f"The file of the {what} is not as it was handed out" in capsys.readouterr().out
    file.write_text(file.read_text().replace('n_records\\":3', 'n_records\\":4'))
    assert main(command) == 1


def test_a_file_that_names_a_text_twice_is_refused(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    certified_study(world)
    file = _downloaded(world, tmp_path)
    file.write_text(file.read_text()[:-1] + ',"text":"another"}')
    assert main([*config_of(world), "check-certificate", str(file)]) == 1
    assert "FILE_NAME_TWICE" in capsys.readouterr().err
