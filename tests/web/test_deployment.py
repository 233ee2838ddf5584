"""The settings of a real installation: cookies, https, proxies, and Django's own list."""

from __future__ import annotations

import os
import runpy
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host
from django.test import Client

ROOT = Path(__file__).resolve().parents[2]
HTTPS = {
    "BLINDJUSTICE_ORIGIN": "https://fair.example.org",
    "BLINDJUSTICE_TRUSTED_PROXIES": "10.0.0.5",
}


def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, **variables: str) -> dict[str, Any]:
    monkeypatch.setenv("BLINDJUSTICE_STATE_DIR", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(ROOT / "blindjustice_web" / "config" / "settings.py"))


@pytest.mark.slow
def test_django_finds_nothing_wrong_with_a_real_installation(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={**os.environ, **HTTPS, "BLINDJUSTICE_STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_demonstration_can_not_be_deployed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={
            **os.environ,
            **HTTPS,
            "BLINDJUSTICE_STATE_DIR": str(tmp_path),
            "BLINDJUSTICE_DEMO": "1",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode != 0
    assert "blindjustice.E007" in done.stderr
    assert "blindjustice.E008" in done.stderr


def test_not_even_a_local_demonstration_can_be_deployed(settings: Any) -> None:
    from blindjustice_web.config.checks import check_demo, check_demo_is_not_deployed

    settings.DEMO = True
    assert check_demo() == []
    assert [found.id for found in check_demo_is_not_deployed()] == ["blindjustice.E008"]


def test_cookies_of_an_https_site_are_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = _settings(monkeypatch, tmp_path, **HTTPS)
    for kind in ("SESSION", "CSRF"):
        assert found[f"{kind}_COOKIE_NAME"].startswith("__Host-")
        assert found[f"{kind}_COOKIE_SECURE"] is True
        assert found[f"{kind}_COOKIE_SAMESITE"] == "Lax"
        # what a browser demands of a __Host- cookie, beside being secure
        assert found.get(f"{kind}_COOKIE_DOMAIN") is None
        assert found.get(f"{kind}_COOKIE_PATH", "/") == "/"
    assert found["SESSION_COOKIE_HTTPONLY"] is True


def test_an_https_site_is_https_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = _settings(monkeypatch, tmp_path, **HTTPS)
    assert found["SECURE_SSL_REDIRECT"] is True
    assert found["SECURE_HSTS_SECONDS"] >= 31_536_000
    assert found["SECURE_HSTS_INCLUDE_SUBDOMAINS"] is True
    assert found["OWN_ORIGINS"] == ["https://fair.example.org"]


def test_an_https_site_must_know_its_proxy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="BLINDJUSTICE_TRUSTED_PROXIES"):
        _settings(monkeypatch, tmp_path, BLINDJUSTICE_ORIGIN=HTTPS["BLINDJUSTICE_ORIGIN"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BLINDJUSTICE_TRUSTED_PROXIES", "proxy.example.org"),
        ("BLINDJUSTICE_TRUSTED_PROXIES", "10.0.0.5/16"),
        ("BLINDJUSTICE_SESSION_IDLE", "0"),
        ("BLINDJUSTICE_SESSION_LONGEST", "-1"),
        ("BLINDJUSTICE_TYPED_CHALLENGES", "²"),
        ("BLINDJUSTICE_LIMIT_LOG_IN_ACCOUNT", "ten"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=name):
        _settings(monkeypatch, tmp_path, **{name: value})


def test_limits_and_times_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = _settings(
        monkeypatch,
        tmp_path,
        BLINDJUSTICE_LIMIT_LOG_IN_ACCOUNT="3/5m",
        BLINDJUSTICE_SESSION_IDLE="5",
        BLINDJUSTICE_SESSION_LONGEST="2",
    )
    limit = found["LIMITS"]["LOG_IN_ACCOUNT"]
    assert (limit.count, limit.period_s) == (3, 300)
    assert (found["SESSION_IDLE_S"], found["SESSION_LONGEST_S"]) == (300, 7200)


@pytest.mark.django_db
def test_plain_http_is_led_to_https_and_health_is_not(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    answer = Client().get("/me/")
    assert (answer.status_code, answer["Location"]) == (301, "https://testserver/me/")
    assert Client().get("/health/").status_code == 200
    secure = Client().get("/", secure=True)
    assert secure["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"


def test_a_cache_of_one_process_is_refused(settings: Any) -> None:
    from blindjustice_web.config.checks import check_cache

    assert [found.id for found in check_cache()] == ["blindjustice.E006"]  # the tests' own cache
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache"}}
    assert check_cache() == []


@pytest.mark.parametrize("host", ["[::1]", "127.0.0.1", "localhost"])
def test_a_local_site_answers_to_every_name_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "Thismachine")
    found = _settings(monkeypatch, tmp_path, BLINDJUSTICE_ORIGIN=f"http://{host}:8010")
    names = ("[::1]", "127.0.0.1", "localhost", "thismachine")
    for name in names:
        assert validate_host(name, found["ALLOWED_HOSTS"])
        assert f"http://{name}:8010" in found["OWN_ORIGINS"]
    assert not validate_host("other", found["ALLOWED_HOSTS"])
    assert "::" not in found["MAIL_FROM"]


@pytest.mark.parametrize(
    "origin", ["http://", "ftp://a.example", "http://a:b", "http://[::1", "https://a.example/path"]
)
def test_an_origin_that_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match="BLINDJUSTICE_ORIGIN"):
        _settings(monkeypatch, tmp_path, BLINDJUSTICE_ORIGIN=origin)
