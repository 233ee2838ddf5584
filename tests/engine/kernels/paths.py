"""Every way to compute AES and in the field: those that this machine lacks are skipped by name.

A strict run refuses "missing kernels": the processor has the instructions and the engine does not
take them. On a processor without them the other ways are tried alone, and the close says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from mpc_engine.kernels import aes, gf128
from mpc_engine.kernels.aes import AesPath
from mpc_engine.kernels.gf128 import FieldPath

INSTRUCTIONS = {"vector": "AVX-512", "native": "128-bit instructions", "portable": "any processor"}
"""What each way needs, by its name."""
CPU = Path("/proc/cpuinfo")


def why_not(name: str) -> str:
    """Return the reason for which one of `INSTRUCTIONS` is skipped here."""
    has_vectors = CPU.exists() and "avx512f" in CPU.read_text("ascii", errors="replace")
    if name == "vector" and not has_vectors:
        return "this processor has no AVX-512"
    return f"missing kernels: no {INSTRUCTIONS[name]} here"


def _parametrized(
    names: str, paths: Iterable[tuple[str, AesPath | FieldPath, bool]]
) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                path,
                id=name,
                marks=pytest.mark.skipif(not here, reason=why_not(name)),
            )
            for name, path, here in paths
        ],
    )


EVERY_AES_PATH = _parametrized(
    "path", [(path.value, path, path in aes.AES_PATHS) for path in AesPath]
)
EVERY_FIELD_PATH = _parametrized(
    "path",
    [
        (path.name, path, path in gf128.GF128_PATHS)
        for path in (gf128.VECTOR, gf128.NATIVE, gf128.PORTABLE)
    ],
)
