"""Settings fail loudly: unknown names, unreadable secrets, unsafe combinations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from blindjustice_web.config import checks
from blindjustice_web.config.environment import Environment, secret_key


def test_an_unknown_setting_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="BLINDJUSTICE_DEBUGG"):
        Environment({"BLINDJUSTICE_DEBUGG": "1"})


def test_a_switch_is_one_or_zero() -> None:
    with pytest.raises(ImproperlyConfigured, match="BLINDJUSTICE_DEBUG"):
        Environment({"BLINDJUSTICE_DEBUG": "yes"}).flag("BLINDJUSTICE_DEBUG")


def test_a_secret_comes_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "url"
    path.write_text("redis://secret\n", encoding="utf-8")
    environment = Environment({"BLINDJUSTICE_REDIS_URL_FILE": str(path)})
    assert environment.secret("BLINDJUSTICE_REDIS_URL_FILE", "REDIS_URL") == "redis://secret"
    both = Environment({"BLINDJUSTICE_REDIS_URL_FILE": str(path), "REDIS_URL": "redis://"})
    with pytest.raises(ImproperlyConfigured, match="not both"):
        both.secret("BLINDJUSTICE_REDIS_URL_FILE", "REDIS_URL")


@pytest.mark.parametrize("content", [None, "", "  \n"])
def test_a_secret_that_can_not_be_read_names_its_setting(
    tmp_path: Path, content: str | None
) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    environment = Environment({"BLINDJUSTICE_SECRET_KEY_FILE": str(path)})
    with pytest.raises(ImproperlyConfigured, match="BLINDJUSTICE_SECRET_KEY_FILE"):
        secret_key(environment, tmp_path)


def test_a_secret_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    first = secret_key(Environment({}), tmp_path)
    assert first == secret_key(Environment({}), tmp_path)
    assert len(first) > 60
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_this_site_passes_its_own_checks() -> None:
    for check in (
        checks.check_content_policy,
        checks.check_origin,
        checks.check_debug,
        checks.check_database,
        checks.check_channel_layer,
        checks.check_demo,
        checks.check_demo_is_not_deployed,
    ):
        assert check() == []


def test_unsafe_settings_are_named(settings: Any) -> None:
    settings.ORIGIN = "http://fair.example.org"
    settings.DEBUG = True
    settings.DEMO = True
    settings.CHANNEL_LAYERS = {"default": {"CONFIG": {"hosts": ["redis://127.0.0.1"]}}}
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"script-src": ["'unsafe-inline'"]}}
    found = [
        message.id
        for check in (
            checks.check_content_policy,
            checks.check_origin,
            checks.check_debug,
            checks.check_channel_layer,
            checks.check_demo,
        )
        for message in check()
    ]
    assert found == [f"blindjustice.E00{number}" for number in (1, 2, 3, 5, 7)]


def test_quiet_listeners_are_not_cut_off() -> None:
    from importlib import import_module

    layers = import_module("blindjustice_web.config.settings").CHANNEL_LAYERS
    (host,) = layers["default"]["CONFIG"]["hosts"]
    assert host["socket_timeout"] is None


def test_sqlite_takes_several_writers() -> None:
    from django.conf import settings as live

    database = live.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        assert database["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
        assert database["OPTIONS"]["timeout"] == 20
        assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]
