from __future__ import annotations

from pathlib import Path

import pytest

from mpc_engine.errors import EngineError
from mpc_engine.party.zone.config import load_config
from mpc_engine.roles import Role

TEXT = """\
role = "regulator"
name = "Office"
data_dir = "data"
broker_url_file = "broker-url"
address = "[::1]:7700"
own_public = "public.json"
peer_public = "/elsewhere/modeler.json"
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "party.toml"
    path.write_text(text, "utf-8")
    return path


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, TEXT))
    assert (config.role, config.host, config.port) == (Role.REGULATOR, "::1", 7700)
    assert config.address == "[::1]:7700"
    assert config.data_dir == tmp_path.resolve() / "data"
    assert config.peer_public == Path("/elsewhere/modeler.json")
    assert config.receive_limit_s == 120


def test_the_brokers_address_is_read_from_a_private_file(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, TEXT))
    (tmp_path / "broker-url").write_text("redis://user:word@host/0\n")
    (tmp_path / "broker-url").chmod(0o600)
    assert config.broker_url() == "redis://user:word@host/0"
    assert "word" not in repr(config)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (TEXT + 'colour = "red"\n', "colour"),
        (TEXT.replace("regulator", "web", 1), "role"),
        (TEXT.replace('name = "Office"\n', ""), "name"),
        (TEXT.replace("[::1]:7700", "localhost"), "address"),
        (TEXT.replace(":7700", ":70000"), "address"),
        (TEXT.replace("[::1]:7700", "2001:db8::5"), "in brackets"),
        (TEXT + "receive_limit_s = 0\n", "receive_limit_s"),
        (TEXT + "certification_workers = 9\n", "certification_workers"),
        (TEXT + "max_attempts = true\n", "max_attempts"),
        (TEXT + 'job_limit_s = "1"\n', "job_limit_s"),
        ("role =", "TOML"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(EngineError, match=named) as caught:
        load_config(_write(tmp_path, text))
    assert caught.value.code == "PARTY_CONFIG_INVALID"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        load_config(tmp_path / "party.toml")
    assert caught.value.code == "FILE_MISSING"
