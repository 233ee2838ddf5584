"""Read the environment of the site: known names only, secrets from files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from blindjustice_web.config import limits

PREFIX = "BLINDJUSTICE_"

KNOWN = {
    "BLINDJUSTICE_STATE_DIR": "directory of everything the installation writes",
    "BLINDJUSTICE_SECRET_KEY_FILE": "file with Django's secret key",
    "BLINDJUSTICE_PUBLIC_DIR": "directory with the public descriptors of the parties",
    "BLINDJUSTICE_DEBUG": "1 for development only",
    "BLINDJUSTICE_DEMO": "1 for a demonstration: a page says which log-in shows what",
    "BLINDJUSTICE_ALLOWED_HOSTS": "host names, separated by commas",
    "BLINDJUSTICE_ORIGIN": "address people use, such as https://fair.example.org",
    "BLINDJUSTICE_TRUSTED_PROXIES": "addresses or networks of the proxies in front of the site",
    "BLINDJUSTICE_SESSION_IDLE": "minutes after which an unused log-in ends",
    "BLINDJUSTICE_SESSION_LONGEST": "hours after which every log-in ends",
    "BLINDJUSTICE_TYPED_CHALLENGES": "typed-in challenges of one person in 30 days",
    "BLINDJUSTICE_JOB_CLOSING_S": "seconds a closing may take",
    "BLINDJUSTICE_JOB_CERTIFICATION_S": "seconds a certification may take",
    "BLINDJUSTICE_JOB_TRAINING_S": "seconds a training may take",
    "BLINDJUSTICE_JOB_VERIFICATION_S": "seconds a verification of decisions may take",
    "BLINDJUSTICE_JOB_ATTEMPTS": "how often a job is tried when the line breaks or a party dies",
    "BLINDJUSTICE_JOB_CHALLENGE_RETRY_S": "seconds after which unanswered cases are asked again",
    "BLINDJUSTICE_LINE_CHECK_S": "seconds after which the parties check their line again",
    "BLINDJUSTICE_CONTACT": "human contact printed on cases",
    "BLINDJUSTICE_SMTP_URL_FILE": "file with smtp[s]://user:password@host:port",
    "BLINDJUSTICE_MAIL_FROM": "sender of mails",
    "BLINDJUSTICE_DATABASE_URL_FILE": "file with the database URL (instead of DATABASE_URL)",
    "BLINDJUSTICE_REDIS_URL_FILE": "file with the Redis URL (instead of REDIS_URL)",
    "BLINDJUSTICE_LISTEN": "where the site listens; read by the run script, not by the site",
    "BLINDJUSTICE_PYTHON": "read by the run script, not by the site",
    **{f"{limits.PREFIX}{name}": meaning for name, (_, meaning) in limits.DEFAULTS.items()},
}


class Environment:
    """Give settings their values; refuse what it doesn't know."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        unknown = sorted(k for k in variables if k.startswith(PREFIX) and k not in KNOWN)
        if unknown:
            raise ImproperlyConfigured(f"Unknown settings in the environment: {', '.join(unknown)}")
        self._variables = variables

    def text(self, name: str, default: str = "") -> str:
        """Return a variable, stripped, or the default where it is unset or empty."""
        return self._variables.get(name, "").strip() or default

    def flag(self, name: str) -> bool:
        """Return a switch: 1 or 0, nothing else."""
        value = self.text(name, "0")
        if value not in {"0", "1"}:
            raise ImproperlyConfigured(f"{name} must be 0 or 1")
        return value == "1"

    def number(self, name: str, default: int) -> int:
        """Return a whole number from 1 to 999999."""
        value = self.text(name, str(default))
        if not (value.isascii() and value.isdigit() and 1 <= int(value) <= 999_999):
            raise ImproperlyConfigured(f"{name} must be a whole number from 1 to 999999")
        return int(value)

    def networks(self, name: str) -> list[IPv4Network | IPv6Network]:
        """Return a comma-separated list of addresses and networks."""
        try:
            return [ip_network(word) for word in self.words(name, "")]
        except ValueError:
            raise ImproperlyConfigured(
                f"{name} must list addresses or networks, such as 10.0.0.5, 10.1.0.0/16"
            ) from None

    def words(self, name: str, default: str) -> list[str]:
        """Return a comma-separated list."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def secret(self, file_name: str, plain_name: str = "", default: str = "") -> str:
        """Return the content of a named file, else a plain variable, else the default."""
        path = self.text(file_name)
        if path and plain_name and self.text(plain_name):
            raise ImproperlyConfigured(f"Set {file_name} or {plain_name}, not both")
        if path:
            return read_secret(Path(path), file_name)
        return self.text(plain_name, default) if plain_name else default


def read_secret(path: Path, name: str) -> str:
    """Return the stripped content of a secret file; name the setting if it can't be read."""
    try:
        value = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}: {path} can't be read ({error.strerror})") from None
    if not value:
        raise ImproperlyConfigured(f"{name}: {path} is empty")
    return value


def secret_key(environment: Environment, web_dir: Path) -> str:
    """Return Django's secret key; where none is configured, make one in the state directory."""
    configured = environment.secret("BLINDJUSTICE_SECRET_KEY_FILE")
    if configured:
        return configured
    path = web_dir / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return read_secret(path, "secret key")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(64))
    return read_secret(path, "secret key")
