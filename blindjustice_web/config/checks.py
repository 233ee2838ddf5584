"""System checks: what would make an installation unsafe or useless is said at start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

LOCAL_HOSTS = {"127.0.0.1", "localhost", "::1"}


@register(Tags.security)
def check_content_policy(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a content security policy that lets inline or foreign scripts in."""
    directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    loose = {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "http:"}
    found = [name for name, sources in directives.items() if loose & {str(s) for s in sources}]
    return [
        Error(f"The content security policy is too loose in {name}.", id="blindjustice.E001")
        for name in found
    ]


@register(Tags.security)
def check_origin(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse plain HTTP for a site that other machines reach: browsers seal over https only."""
    parts = urlsplit(settings.ORIGIN)
    if parts.scheme == "http" and parts.hostname not in LOCAL_HOSTS:
        return [
            Error(
                "BLINDJUSTICE_ORIGIN must be https:// outside this machine: "
                "browsers offer the cryptography people need to secure pages only.",
                id="blindjustice.E002",
            )
        ]
    return []


@register(Tags.security)
def check_debug(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse debug pages for a site that other machines reach."""
    if settings.DEBUG and urlsplit(settings.ORIGIN).hostname not in LOCAL_HOSTS:
        return [Error("BLINDJUSTICE_DEBUG must be 0 outside this machine.", id="blindjustice.E003")]
    return []


@register(Tags.security)
def check_demo(app_configs: Sequence[AppConfig] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse the page of a demonstration, which names log-ins, on a site others reach."""
    if settings.DEMO and urlsplit(settings.ORIGIN).hostname not in LOCAL_HOSTS:
        return [Error("BLINDJUSTICE_DEMO must be 0 outside this machine.", id="blindjustice.E007")]
    return []


@register(Tags.security, deploy=True)
def check_demo_is_not_deployed(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a demonstration as a real installation, wherever it runs."""
    if settings.DEMO:
        return [Error("A demonstration is no installation to deploy.", id="blindjustice.E008")]
    return []


@register(Tags.caches)
def check_cache(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a cache of one process: limits must count for all of them together."""
    if not settings.CACHES["default"]["BACKEND"].endswith(".RedisCache"):
        return [Error("Limits need the cache in Redis.", id="blindjustice.E006")]
    return []


@register(Tags.database)
def check_database(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse databases the site isn't tested with; warn where SQLite can't take several writers."""
    database = settings.DATABASES["default"]
    engine = database["ENGINE"].rpartition(".")[2]
    if engine not in {"sqlite3", "postgresql"}:
        return [Error("DATABASE_URL must name SQLite or PostgreSQL.", id="blindjustice.E004")]
    if engine == "sqlite3" and database["OPTIONS"].get("transaction_mode") != "IMMEDIATE":
        return [Warning("SQLite needs IMMEDIATE transactions.", id="blindjustice.W001")]
    return []


@register(Tags.caches)
def check_channel_layer(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a channel layer whose quiet listeners would be cut off."""
    configuration = settings.CHANNEL_LAYERS["default"].get("CONFIG", {})
    for host in configuration.get("hosts", []):
        if not isinstance(host, dict) or host.get("socket_timeout", 5) is not None:
            return [
                Error(
                    "Hosts of the channel layer need socket_timeout None.", id="blindjustice.E005"
                )
            ]
    return []
