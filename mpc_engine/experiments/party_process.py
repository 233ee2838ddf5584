"""One party as a process of its own: ``python -m mpc_engine.experiments.party_process ROLE``.

It makes its own TLS key, tells the starting process its certificate, reads one order (the run, the
other party's certificate, its own shares), runs its side and tells the result. It ends at once when
the starting process is gone, which it sees by its standard input. See `two_processes`.
"""

from __future__ import annotations

import datetime
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import EngineError
from mpc_engine.experiments.process_messages import (
    Arrays,
    MessageFields,
    read_process_message,
    records_of,
    spec_of,
    write_process_message,
)
from mpc_engine.experiments.stage_clock import StageClock
from mpc_engine.protocols.session import JobContext, OfflineLine
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.transport.certificates import make_self_signed
from mpc_engine.transport.channel import StreamChannel
from mpc_engine.transport.tls import TLSIdentity, TLSListener, connect_lines
from mpc_engine.vocabulary.runs import Stage

_LOOPBACK = "127.0.0.1"
_OPENING_S = 60.0
_N_LINES = 2
_PROGRESS_SPACING_S = 0.2
_ORPHANED = 3
_STEPS = frozenset({Stage.MATERIAL, Stage.TRAINING})
"""Stages whose progress is that of steps."""


class Party:
    """A party's process: its pipes to the starting process and its run."""

    def __init__(self, role: Role, source: BinaryIO, sink: BinaryIO) -> None:
        self._role = role
        self._source = source
        self._sink = sink
        self._told = 0.0
        self._point, self._n_points = 0, 1

    def serve(self) -> None:
        """Do one order; whatever goes wrong is told by code and sentence, without a traceback."""
        try:
            self._serve()
        except EngineError as error:
            self._tell({"failed": {"code": error.code, "sentence": error.sentence}})
        except Exception as error:
            sentence = f"An unexpected error of the kind {type(error).__name__}."
            self._tell({"failed": {"code": "PARTY_FAILED", "sentence": sentence}})

    def _serve(self) -> None:
        with tempfile.TemporaryDirectory(prefix="blindjustice-") as folder:
            identity, certificate = _make_identity(Path(folder), self._role)
            self._tell({"certificate": certificate})
            order, arrays = read_process_message(self._source)
            threading.Thread(target=self._end_with_parent, daemon=True).start()
            lines = self._open(order, identity)
        try:
            self._train(order, arrays, lines)
        finally:
            for line in lines:
                line.close()

    def _open(self, order: MessageFields, identity: TLSIdentity) -> list[StreamChannel]:
        session = bytes.fromhex(order["session"])
        timeout_s = order["timeout_s"]
        if self._role is Role.MODELER:
            return connect_lines(
                (_LOOPBACK, order["port"]),
                identity,
                order["peer_certificate"],
                _N_LINES,
                timeout_s=_OPENING_S,
                session=session,
                recv_timeout_s=timeout_s,
            )
        with TLSListener((_LOOPBACK, 0), identity, order["peer_certificate"]) as listener:
            self._tell({"port": listener.address[1]})
            return listener.accept_lines(
                _N_LINES, timeout_s=_OPENING_S, session=session, recv_timeout_s=timeout_s
            )

    def _train(self, order: MessageFields, arrays: Arrays, lines: list[StreamChannel]) -> None:
        points, records = [spec_of(fields) for fields in order["points"]], records_of(arrays)
        digest = bytes.fromhex(order["session"])
        clock = StageClock(self._progress)
        channel, beside = lines
        line = OfflineLine(beside, system_randomness())
        ctx = JobContext(self._role, channel, digest, system_randomness(), clock, line)
        results: Arrays = {}
        if self._role is Role.MODELER:
            data = arrays["rows"], arrays["targets"]
            thetas = list(train_as_modeler(ctx, self._counted(points), records, *data))
            results["thetas"] = np.stack(thetas)
        else:
            for _ in train_as_regulator(ctx, self._counted(points), records):
                continue
        offline, online = clock.offline_and_online()
        done = {
            "seconds_offline": offline,
            "seconds_online": online,
            "bytes_sent": sum(line.meter.bytes_sent for line in lines),
            "rounds": sum(line.meter.rounds for line in lines),
            "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
        self._tell({"done": done}, results)

    def _counted(self, points: Sequence[TrainingSpec]) -> Iterator[TrainingSpec]:
        """Yield the points, and keep count for the progress."""
        self._n_points = len(points)
        for self._point, spec in enumerate(points):
            yield spec

    def _progress(self, stage: str, done: int, total: int) -> None:
        """Tell a stage's progress, of steps over all points."""
        if stage in _STEPS:
            done, total = self._point * total + done, self._n_points * total
        now = time.monotonic()
        if done == total or now - self._told >= _PROGRESS_SPACING_S:
            self._told = now
            self._tell({"progress": [stage, done, total]})

    def _tell(self, fields: MessageFields, arrays: Arrays | None = None) -> None:
        write_process_message(self._sink, fields, arrays)

    def _end_with_parent(self) -> None:
        """End this process when its standard input closes: nobody waits for the result."""
        self._source.read(1)
        os._exit(_ORPHANED)


def _make_identity(folder: Path, role: Role) -> tuple[TLSIdentity, str]:
    certificate, key = make_self_signed(role.value, datetime.datetime.now(datetime.UTC))
    identity = TLSIdentity(folder / "party.crt", folder / "party.key")
    identity.certificate_path.write_bytes(certificate)
    identity.key_path.write_bytes(key)
    return identity, certificate.decode("ascii")


def main() -> None:
    """Serve one order over the pipes; what else would print goes to standard error."""
    sink = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    os.umask(0o077)
    Party(Role(sys.argv[1]), sys.stdin.buffer, sink).serve()


if __name__ == "__main__":
    main()
