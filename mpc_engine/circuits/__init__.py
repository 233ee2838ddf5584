"""Boolean circuits: built gate by gate, evaluated in the clear or, one layer up, garbled."""

from __future__ import annotations

from mpc_engine.circuits.builder import Bits, CircuitBuilder, Wire
from mpc_engine.circuits.circuit import Circuit, bits_integer, integer_bits

__all__ = ["Bits", "Circuit", "CircuitBuilder", "Wire", "bits_integer", "integer_bits"]
