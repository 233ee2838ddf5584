"""Where `./run` lets the site listen, and by which address people use it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blindjustice_web.config.limits import read_limits
from docker.local import ports, stack, zones
from docker.local.addresses import SiteAddress, Wish, reserve_site
from docker.local.placement import in_place
from docker.local.processes import StackError
from docker.local.website import Site
from mpc_engine.testing.tls import has_ipv6
from mpc_engine.transport.address import HostPort


@contextmanager
def _reserved(origin: str = "", listen: str = "") -> Iterator[SiteAddress]:
    address, port = reserve_site(Wish(origin, listen))
    try:
        assert port.number == address.listen.port
        yield address
    finally:
        port.release()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_without_a_wish_it_is_a_free_port_of_this_machine() -> None:
    with _reserved() as address:
        assert address.listen.host == "127.0.0.1"
        assert address.listen.port >= ports.SITE
        assert address.origin == address.local_url == f"http://127.0.0.1:{address.listen.port}"


@pytest.mark.parametrize(
    ("host", "listens"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        pytest.param(
            "[::1]", "::1", marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")
        ),
    ],
)
def test_it_listens_where_a_local_origin_leads(host: str, listens: str) -> None:
    origin = f"http://{host}:{_free_port()}"
    with _reserved(origin) as address:
        assert (address.origin, address.listen.host) == (origin, listens)
        assert address.host_header == origin.removeprefix("http://")


def test_behind_a_proxy_it_listens_on_this_machine_only_unless_told() -> None:
    with _reserved("https://fair.example.org") as address:
        assert address.listen.host == "127.0.0.1"
        assert address.origin == "https://fair.example.org"
        assert address.local_url.startswith("http://127.0.0.1:")
    port = _free_port()
    with _reserved("https://fair.example.org", f"0.0.0.0:{port}") as address:
        assert address.listen == HostPort("0.0.0.0", port)
        assert address.local_url == f"http://127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("origin", "listen", "words"),
    [
        ("fair.example.org", "", "BLINDJUSTICE_ORIGIN"),
        ("http://127.0.0.1:port", "", "BLINDJUSTICE_ORIGIN"),
        ("http://[::1", "", "BLINDJUSTICE_ORIGIN"),
        ("http://[::1", "127.0.0.1:0", "BLINDJUSTICE_ORIGIN"),
        ("https://fair.example.org/site", "127.0.0.1:0", "BLINDJUSTICE_ORIGIN"),
        ("http://fair.example.org", "", "https"),
        ("", "2001:db8::5", "brackets"),
        ("", "8000", "host:port"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(origin: str, listen: str, words: str) -> None:
    with pytest.raises(StackError, match=words):
        reserve_site(Wish(origin, listen))


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(StackError, match=address):
            reserve_site(Wish(listen=address))


def test_options_come_before_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLINDJUSTICE_ORIGIN", "http://127.0.0.1:8011")
    monkeypatch.setenv("BLINDJUSTICE_LISTEN", "127.0.0.1:8011")
    chosen, _ = stack.parse(["up"])
    assert (chosen.origin, chosen.listen) == ("http://127.0.0.1:8011", "127.0.0.1:8011")
    chosen, _ = stack.parse(["demo", "--once", "--listen=[::1]:8012"])
    assert (chosen.origin, chosen.listen) == ("http://127.0.0.1:8011", "[::1]:8012")


def test_the_site_gets_every_setting_that_the_stack_does_not_decide(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given = {
        "BLINDJUSTICE_CONTACT": "the ombudswoman",
        "BLINDJUSTICE_LINE_CHECK_S": "60",
        "BLINDJUSTICE_ORIGIN": "http://127.0.0.1:1",
        "BLINDJUSTICE_STATE_DIR": "/elsewhere",
        "BLINDJUSTICE_STRICT": "1",
        "BLINDJUSTICE_LISTEN": "127.0.0.1:1",
    }
    for name, text in given.items():
        monkeypatch.setenv(name, text)
    address = SiteAddress(HostPort("127.0.0.1", 8013), "http://localhost:8013")
    zone = zones.make_zones(tmp_path, separate=False)["web"]
    environment = Site(in_place(), zone, tmp_path, address, "redis://nowhere").environment()
    assert environment["BLINDJUSTICE_CONTACT"] == "the ombudswoman"
    assert environment["BLINDJUSTICE_LINE_CHECK_S"] == "60"
    assert environment["BLINDJUSTICE_ORIGIN"] == "http://localhost:8013"
    assert environment["BLINDJUSTICE_STATE_DIR"] == str(tmp_path)
    assert not {"BLINDJUSTICE_STRICT"} & environment.keys()


def test_its_limits_let_the_demo_be_played_for_an_hour(tmp_path: Path) -> None:
    plays, challenges, uploads = 120, 3, 16
    address = SiteAddress(HostPort("127.0.0.1", 8013), "http://localhost:8013")
    zone = zones.make_zones(tmp_path, separate=False)["web"]
    environment = Site(in_place(), zone, tmp_path, address, "redis://nowhere").environment()
    limits = read_limits(environment.get)
    for name, a_play in {"CHALLENGES": challenges, "UPLOADS": uploads}.items():
        for counted_by in ("ACCOUNT", "ADDRESS"):
            limit = limits[f"{name}_{counted_by}"]
            assert limit.count * 3600 >= plays * a_play * limit.period_s, f"{name}_{counted_by}"
