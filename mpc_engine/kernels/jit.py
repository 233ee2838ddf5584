"""The one way in which this package compiles Python to machine code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import binding
from numpy.typing import NDArray

_Function = TypeVar("_Function", bound=Callable[..., Any])

_Scalar = TypeVar("_Scalar", bound=np.generic)

_NUMBA_SETTINGS: Any = numba.config

CACHED = bool(_NUMBA_SETTINGS.CACHE_DIR)
"""Whether machine code is kept between runs: only in a directory that NUMBA_CACHE_DIR names.

The cache is a pickle, so it must lie in a directory that nobody else can write to; without one,
each process compiles for itself.
"""


def sources_digest(kernels: Path) -> str:
    """Return SHA-256, in hex, over a folder of kernels and the package's constants beside it."""
    hasher = hashlib.sha256()
    for path in [*sorted(kernels.glob("*.py")), kernels.parent / "params.py"]:
        source = path.read_bytes()
        hasher.update(f"{path.name}\n{len(source)}\n".encode() + source)
    return hasher.hexdigest()


if CACHED:
    # Numba asks whether the file of a kernel has changed, not those of the kernels built into it.
    _NUMBA_SETTINGS.CACHE_DIR = str(
        Path(_NUMBA_SETTINGS.CACHE_DIR) / sources_digest(Path(__file__).parent)
    )


def compiled(function: _Function) -> _Function:
    """Compile a plain loop at its first call; it then runs without the interpreter lock.

    Never parallel: threads belong to the caller, and numba's own threads do not survive a fork.
    """
    return cast(_Function, numba.njit(nogil=True, cache=CACHED)(function))


def machine_has_vector_aes() -> bool:
    """Return whether this processor has AES instructions on 512-bit vectors (VAES and AVX-512)."""
    features = binding.get_host_cpu_features()
    return machine_has_aes() and all(features.get(name, False) for name in ("vaes", "avx512f"))


def machine_has_aes() -> bool:
    """Return whether this processor has x86 AES instructions that compiled kernels may use."""
    triple = binding.get_process_triple()
    return triple.startswith("x86_64") and bool(binding.get_host_cpu_features().get("aes", False))


def read_only(array: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """Return an aligned, contiguous, read-only view or copy, the one form that kernels read.

    Numba compiles anew for each combination of memory order, alignment and writability.
    """
    view = np.require(array, requirements=["C", "A"]).view()
    view.setflags(write=False)
    return view
