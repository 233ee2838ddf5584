"""Who asks: what is forwarded counts only if a named proxy forwarded it."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from blindjustice_web.lib.forwarded import ForwardedMiddleware

PROXIES = ["10.0.0.5", "10.1.0.0/16", "2001:db8::5"]


def _seen(settings: Any, peer: str, **headers: Any) -> HttpRequest:
    settings.TRUSTED_PROXIES = [ip_network(text) for text in PROXIES]
    request = RequestFactory().get("/", REMOTE_ADDR=peer, **headers)
    ForwardedMiddleware(lambda _: HttpResponse())(request)
    return request


@pytest.mark.parametrize(
    ("peer", "said", "client"),
    [
        ("192.0.2.1", "203.0.113.9", "192.0.2.1"),
        ("10.0.0.5", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.5", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.5", "198.51.100.1, 203.0.113.9, 10.1.2.3", "203.0.113.9"),
        ("10.0.0.5", "10.1.2.3", "10.1.2.3"),
        ("10.0.0.5", "", "10.0.0.5"),
        ("10.0.0.5", "203.0.113.9, nonsense", "10.0.0.5"),
        ("10.0.0.5", "203.0.113.9, nonsense, 10.1.2.3", "10.1.2.3"),
        ("10.0.0.5", "203.0.113.9:8080", "10.0.0.5"),
        ("::ffff:10.0.0.5", "203.0.113.9", "203.0.113.9"),
        ("2001:db8::5", "2001:db8:9::1", "2001:db8:9::1"),
        ("", "203.0.113.9", ""),
    ],
)
def test_the_address_is_the_last_one_that_no_proxy_has(
    settings: Any, peer: str, said: str, client: str
) -> None:
    assert _seen(settings, peer, HTTP_X_FORWARDED_FOR=said).META["REMOTE_ADDR"] == client


def test_only_a_named_proxy_makes_a_request_secure(settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert _seen(settings, "10.0.0.5", HTTP_X_FORWARDED_PROTO="https").is_secure()
    assert not _seen(settings, "192.0.2.1", HTTP_X_FORWARDED_PROTO="https").is_secure()


def test_nothing_forwarded_by_a_stranger_is_left(settings: Any) -> None:
    said = {
        "HTTP_FORWARDED": "for=203.0.113.9",
        "HTTP_X_FORWARDED_FOR": "203.0.113.9",
        "HTTP_X_FORWARDED_HOST": "evil.example",
        "HTTP_X_FORWARDED_PORT": "1",
        "HTTP_X_FORWARDED_PROTO": "https",
        "HTTP_X_REAL_IP": "203.0.113.9",
    }
    assert not set(said) & set(_seen(settings, "192.0.2.1", **said).META)
