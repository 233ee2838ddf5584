"""Every way to compute AES and in the field: those that this machine lacks are skipped by name."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from mpc_engine.kernels import aes, gf128
from mpc_engine.kernels.aes import AesPath
from mpc_engine.kernels.gf128 import FieldPath

INSTRUCTIONS = {"vector": "AVX-512", "native": "128-bit instructions", "portable": "any processor"}
"""What each way needs, by its name."""


def _parametrized(
    names: str, paths: Iterable[tuple[str, AesPath | FieldPath, bool]]
) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                path,
                id=name,
                marks=pytest.mark.skipif(
                    not here, reason=f"missing kernels: no {INSTRUCTIONS[name]} here"
                ),
            )
            for name, path, here in paths
        ],
    )


EVERY_AES_PATH = _parametrized(
    "path", [(path.value, path, path in aes.MACHINE_PATHS) for path in AesPath]
)
EVERY_FIELD_PATH = _parametrized(
    "path",
    [
        (path.name, path, path in gf128.MACHINE_PATHS)
        for path in (gf128.VECTOR, gf128.NATIVE, gf128.PORTABLE)
    ],
)
