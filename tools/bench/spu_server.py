"""Two SPU parties as two processes, and who gives them work; runs in `.venv-peers` only.

``python -m tools.bench.spu_server FD PROTOCOL METERED PORT PORT PORT PORT``: frames come and go by
the file descriptor. With METERED 1 SPU's profiler counts bytes, else no time is spent on it. The
ports are where each party listens and where it reaches the other. Input shares are made here,
outside the clock, as a person's browser makes them.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import spu
from spu import libspu
from spu.utils import frontend

from tools.bench import frames
from tools.bench.spu_programs import PROGRAMS, Program

_FRACTION_BITS = 16
_TIMEOUT_MS = 600_000
_SENT = re.compile(r"Link details: total send bytes (\d+),")
_RANKS = (0, 1)


def _config(protocol: str, *, metered: bool) -> libspu.RuntimeConfig:
    """Return the ring of 64 bits with 16 fractional ones; the profiler tells the link's bytes."""
    config = libspu.RuntimeConfig(
        protocol=libspu.ProtocolKind.__members__[protocol],
        field=libspu.FieldType.FM64,
        fxp_fraction_bits=_FRACTION_BITS,
    )
    config.beaver_type = libspu.RuntimeConfig.BeaverType.TrustedFirstParty
    config.experimental_enable_colocated_optimization = True
    config.enable_pphlo_profile = metered
    return config


def _log_to(path: Path) -> None:
    options = libspu.logging.LogOptions()
    options.enable_console_logger = False
    options.system_log_path = str(path)
    libspu.logging.setup_logging(options)


def _play(
    rank: int, protocol: str, metered: bool, ports: list[int], log: Path, pipe: Connection
) -> None:
    """Be one party: take shares and executables, run them, give shares of the outputs back."""
    _log_to(log)
    link = libspu.link.Desc()
    link.recv_timeout_ms = _TIMEOUT_MS
    for other in _RANKS:
        link.add_party(f"party-{other}", f"127.0.0.1:{ports[other]}")
    context = libspu.link.create_brpc(link, rank)
    runtime = spu.Runtime(context, _config(protocol, metered=metered))
    pipe.send(None)
    while True:
        try:
            shares, programs = pipe.recv()
        except EOFError:
            return
        for name, share in shares.items():
            runtime.set_var(name, _joined(share))
        executables = [libspu.Executable(*program) for program in programs]
        logged = log.stat().st_size
        context.barrier()
        started = time.perf_counter()
        for executable in executables:
            runtime.run(executable)
        seconds = time.perf_counter() - started
        outputs = {name: _parts(runtime.get_var(name)) for name in executables[-1].output_names}
        sent = _bytes_sent(log, logged, len(executables)) if metered else 0
        pipe.send((seconds, sent, outputs))
        for name in shares:
            runtime.del_var(name)


def _bytes_sent(log: Path, start: int, n_runs: int) -> int:
    """Return what the link counted in the last runs, which the profiler writes into the log."""
    while True:
        text = log.read_bytes()[start:].decode(errors="replace")
        sent = [int(found) for found in _SENT.findall(text)]
        if len(sent) == n_runs:
            return sum(sent)
        time.sleep(0.01)


def _parts(share: libspu.Share) -> tuple[bytes, list[bytes]]:
    return share.meta, list(share.share_chunks)


def _joined(parts: tuple[bytes, list[bytes]]) -> libspu.Share:
    share = libspu.Share()
    share.meta, share.share_chunks = parts
    return share


class _Parties:
    """Both processes, and the code compiled for them."""

    def __init__(self, protocol: str, metered: bool, ports: list[int], folder: Path) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._io = spu.Io(len(_RANKS), _config(protocol, metered=metered))
        self._code: dict[str, bytes] = {}
        self._pipes = []
        for rank in _RANKS:
            own, other = spawn.Pipe()
            seen = ports[:2] if rank == 0 else ports[2:]
            arguments = (rank, protocol, metered, seen, folder / f"{rank}.log", other)
            spawn.Process(target=_play, args=arguments, daemon=True).start()
            other.close()
            self._pipes.append(own)
        for pipe in self._pipes:
            pipe.recv()

    def run(self, work: str, n_runs: int, given: frames.Arrays) -> tuple[dict, frames.Arrays]:
        """Run a program so often, one after the other; inputs ``name.i`` are of the i-th run."""
        program = PROGRAMS[work]
        started = time.perf_counter()
        code = self._compiled(work, program, given)
        compiling = time.perf_counter() - started
        shares: list[dict[str, Any]] = [{}, {}]
        for name, value in given.items():
            plain = name.split(".")[0]
            kind = "VIS_PUBLIC" if plain in program.public else "VIS_SECRET"
            visibility = libspu.Visibility.__members__[kind]
            made = self._io.make_shares(value, visibility, program.owners[plain])
            for own, share in zip(shares, made, strict=True):
                own[name] = _parts(share)
        programs = [
            (work, [_of_run(name, i, given) for name in program.owners], [*program.outputs], code)
            for i in range(n_runs)
        ]
        for pipe, own in zip(self._pipes, shares, strict=True):
            pipe.send((own, programs))
        done = [pipe.recv() for pipe in self._pipes]
        outputs = {
            name: self._io.reconstruct([_joined(out[name]) for _, _, out in done])
            for name in program.outputs
        }
        figures = {
            "seconds": max(seconds for seconds, _, _ in done),
            "bytes": sum(sent for _, sent, _ in done),
            "compile_seconds": compiling,
        }
        return figures, outputs

    def _compiled(self, work: str, program: Program, given: frames.Arrays) -> bytes:
        if work not in self._code:
            names = list(program.owners)
            public, secret = (
                libspu.Visibility.__members__[kind] for kind in ("VIS_PUBLIC", "VIS_SECRET")
            )
            executable, _ = frontend.compile(
                frontend.Kind.JAX,
                program.function,
                [given[_of_run(name, 0, given)] for name in names],
                {},
                names,
                [public if name in program.public else secret for name in names],
                lambda _: list(program.outputs),
            )
            self._code[work] = executable.code
        return self._code[work]


def _of_run(name: str, run: int, given: frames.Arrays) -> str:
    """Return the variable that an input has in a run: one of its own, or one for all."""
    return f"{name}.{run}" if f"{name}.{run}" in given else name


def main() -> None:
    """Serve until the other end of the pipe closes."""
    descriptor, protocol, metered, *ports = sys.argv[1:]
    pipe = Connection(int(descriptor))
    with tempfile.TemporaryDirectory() as folder:
        _log_to(Path(folder) / "log")
        parties = _Parties(protocol, metered == "1", [int(port) for port in ports], Path(folder))
        frames.send(pipe, {}, {})
        while True:
            try:
                asked, arrays = frames.receive(pipe)
            except EOFError:
                return
            frames.send(pipe, *parties.run(asked["work"], asked["runs"], arrays))


if __name__ == "__main__":
    main()
