"""Where the time goes: what each protocol sends, encrypts and waits for, and what remains.

Two processes over TLS, base OTs included. Per protocol the seconds of the later party and, of each
party, processor milliseconds in compiled kernels, in the TLS line, and in all else (Python, NumPy,
system). AES blocks are derived (tests/bench/aes_costs.py), not counted. The limit is the time that
the bytes and the AES blocks of both parties would take one after the other at the rates measured in
the same run; the limit over the time taken is the efficiency. Every result is compared with the
oracle's.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mpc_engine.protocols.certification.criteria import CriterionName
from mpc_engine.protocols.session import JobContext
from tests.bench import certification, training, verification
from tests.bench.aes_costs import (
    certification_blocks,
    training_blocks,
    verification_blocks,
    verification_gates,
)
from tests.bench.link import add_link_argument, link_remark
from tests.bench.parties import Pair, Run, Side, parties
from tests.bench.rates import aes_rate, line_rate
from tests.bench.report import Report, Row
from tests.bench.training_data import WORKLOADS
from tests.bench.work_clock import Work, WorkClock

_N_CASES = (1, 100)
_TRAINING_STEPS = 64


@dataclass(frozen=True)
class Problem:
    """One run, ready to start: both sides, what it takes, and the check of its outcome.

    ``counts`` takes the run's results and returns AND gates and AES blocks; ``check`` ends the
    program if they are not the oracle's.
    """

    modeler: Side
    regulator: Side
    counts: Callable[[Any], tuple[int, int]]
    check: Callable[[Any, Any], None]


@dataclass(frozen=True)
class _Observed:
    """What one side returned, what its process did for it, and the answers it waited for."""

    result: Any
    work: Work
    rounds: int
