"""The commands that a certificate's page prints run as printed, on a machine without a party."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

from blindjustice_web.certificates.models import Certificate
from tests.web.revocations import REASON, revoke, sign, tell_list
from tests.web.stories import World

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
TIME_LIMIT_S = 300


def _printed(certificate: Certificate, name: str) -> str:
    page = html.unescape(Client().get(f"/certificates/{certificate.id}/").content.decode())
    found = re.search(rf'data-testid="{name}"><code>([^<]+)</code>', page)
    assert found is not None
    return found[1]


def _download(path: str, folder: Path) -> Path:
    answer = Client().get(path)
    name = re.search(r'filename="([^"]+)"', answer["Content-Disposition"])
    assert name is not None
    (folder / name[1]).write_bytes(answer.content)
    return folder / name[1]


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a line as a person types it: in a copy of the software, its environment first on PATH."""
    if not (folder / "mpc_engine").exists():
        (folder / "mpc_engine").symlink_to(ROOT / "mpc_engine")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )


@pytest.mark.slow
def test_the_printed_commands_judge_the_downloaded_files(world: World, tmp_path: Path) -> None:
    certificate = world.certified()
    command = _printed(certificate, "checks-command")
    file = _download(f"/certificates/{certificate.id}/download", tmp_path)
    found = _run(command, tmp_path)
    assert (found.returncode, found.stderr) == (0, "")
    assert f"Certificate {certificate.id} is valid until" in found.stdout

    assert tell_list(world, 1)
    listed = _download("/certificates/revocation-list", tmp_path)
    found = _run(_printed(certificate, "revocation-command"), tmp_path)
    assert (found.returncode, "It was not revoked by" in found.stdout) == (0, True)
    listed.unlink()

    assert revoke(world, certificate) == 201
    assert sign(world, certificate)
    _download(f"/certificates/{certificate.id}/revocation", tmp_path)
    found = _run(_printed(certificate, "revocation-command"), tmp_path)
    assert found.returncode == 2
    assert REASON in found.stdout

    file.write_text(file.read_text().replace('n_records\\":3', 'n_records\\":4'))
    found = _run(command, tmp_path)
    assert (found.returncode, "signature of the modeler" in found.stderr) == (1, True)


@pytest.mark.slow
def test_a_certificate_shows_the_fingerprints_of_the_start_page(world: World) -> None:
    certificate = world.certified()
    paths = ("/", f"/certificates/{certificate.id}/")
    pages = [Client().get(path).content.decode() for path in paths]
    for role in ("modeler", "regulator"):
        shown = re.compile(rf'data-testid="fingerprint-{role}">([0-9a-f]+)<')
        found = [shown.findall(page) for page in pages]
        assert found[0] == found[1]
        (fingerprint,) = found[0]
        assert f"--{role}-key {fingerprint}" in _printed(certificate, "checks-command")
