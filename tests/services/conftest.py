"""One folder of machine code for this lane's processes."""

from __future__ import annotations

import os

from tests.machine_code import machine_code

# Numba reads it once, when it is imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(machine_code()))
