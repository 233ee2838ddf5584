"""SPU's two parties, started in the environment `.venv-peers` and given work from here."""

from __future__ import annotations

import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import distributions
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tools.bench import frames
from tools.bench.link import Link

_ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = _ROOT / ".venv-peers"
_PYTHON = _ENVIRONMENT / "bin" / "python"
_LOOPBACK = "127.0.0.1"
_CLOSING_S = 10.0
_LAST_BYTES = 2000


class Protocol(StrEnum):
    """SPU's protocols that are compared, by SPU's names."""

    CHEETAH = "CHEETAH"
    SEMI2K = "SEMI2K"


@dataclass(frozen=True)
class SpuRun:
    """Outputs, seconds of the later party; bytes of both by the link's counter, where metered."""

    outputs: frames.Arrays
    seconds: float
    n_bytes: int
    compile_seconds: float


class SpuPair:
    """Two parties of one protocol."""

    def __init__(self, pipe: Connection, log: Path) -> None:
        self._pipe, self._log = pipe, log

    def run(self, work: str, arrays: frames.Arrays, *, runs: int = 1) -> SpuRun:
        """Run a program of `spu_programs`; SystemExit with its last words if SPU ends."""
        try:
            frames.send(self._pipe, {"work": work, "runs": runs}, arrays)
        except OSError:
            self._fail()
        figures, outputs = self.receive()
        return SpuRun(outputs, figures["seconds"], figures["bytes"], figures["compile_seconds"])

    def receive(self) -> tuple[dict[str, Any], frames.Arrays]:
        """Return the next frame."""
        try:
            return frames.receive(self._pipe)
        except (EOFError, OSError):
            self._fail()
            raise

    def _fail(self) -> None:
        said = self._log.read_bytes()[-_LAST_BYTES:].decode(errors="replace")
        raise SystemExit(f"SPU ended. It said:\n{said}")


def require_environment(python: Path = _PYTHON) -> None:
    """SystemExit unless SPU was installed, which `./run bench peers` does at its first use."""
    if not python.exists():
        raise SystemExit(
            "SPU is not installed. Start it as ./run bench peers, on Linux with Python 3.11 and a "
            "package index: it makes .venv-peers with what requirements-peers.txt pins."
        )


def spu_version(environment: Path = _ENVIRONMENT) -> str:
    """Return the version of SPU that is installed in a virtual environment, or "unknown"."""
    folders = [str(folder) for folder in environment.glob("lib/python3*/site-packages")]
    return next((found.version for found in distributions(name="spu", path=folders)), "unknown")


@contextmanager
def spu_parties(
    protocol: Protocol, link: Link | None = None, *, metered: bool = False
) -> Iterator[SpuPair]:
    """Yield two connected parties; with ``link`` each reaches the other through it.

    Either bytes are ``metered`` or runs are to be timed.
    """
    require_environment()
    listening = [_free_port(), _free_port()]
    relays = [
        link.relayed((_LOOPBACK, port)) if link else nullcontext((_LOOPBACK, port))
        for port in listening
    ]
    with relays[0] as (_, first), relays[1] as (_, second), tempfile.TemporaryDirectory() as name:
        own, other = Pipe()
        log = Path(name) / "log"
        # Party 0 listens at its own port and reaches party 1 by the relay's; and so the other.
        ports = (listening[0], second, first, listening[1])
        with log.open("wb") as said:
            process = subprocess.Popen(
                [
                    *(_PYTHON, "-m", "tools.bench.spu_server", str(other.fileno()), protocol),
                    *(str(int(metered)), *map(str, ports)),
                ],
                pass_fds=[other.fileno()],
                cwd=_ROOT,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        other.close()
        pair = SpuPair(own, log)
        try:
            pair.receive()
            yield pair
        finally:
            own.close()
            try:
                process.wait(_CLOSING_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.create_server((_LOOPBACK, 0)) as server:
        return int(server.getsockname()[1])
