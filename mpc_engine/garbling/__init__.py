"""Yao's garbled circuits: half gates, free XOR, point and permute.

The garbler and the evaluator see the same circuits in the same order; each counts instances with an
``InstanceCounter``, so that no tweak recurs under one ``delta``.
"""

from __future__ import annotations

from mpc_engine.garbling.evaluator import Evaluator
from mpc_engine.garbling.garbler import Garbled, Garbler
from mpc_engine.garbling.instance_counter import InstanceCounter
from mpc_engine.garbling.labels import colour_bits, encode_bits
from mpc_engine.garbling.promises import (
    are_promised,
    make_promises,
    promised_colours,
    require_promised,
)

__all__ = [
    "Evaluator",
    "Garbled",
    "Garbler",
    "InstanceCounter",
    "colour_bits",
    "encode_bits",
    "are_promised",
    "make_promises",
    "promised_colours",
    "require_promised",
]
