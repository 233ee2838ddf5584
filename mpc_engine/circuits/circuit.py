"""A finished Boolean circuit: flat arrays that kernels read in one pass."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import UsageError
from mpc_engine.kernels.circuit import evaluate_bits
from mpc_engine.kernels.jit import read_only

_DIGEST_LABEL = b"blindjustice/v1/circuit/digest\0"


@dataclass(frozen=True, eq=False, repr=False)
class Circuit:
    """A public circuit; made by ``CircuitBuilder.build`` and never changed.

    ``gates`` int32[n_gates, 3] and ``outputs`` int32[n_outputs] are laid out as described in
    ``mpc_engine.kernels.circuit``. The slices give the place of each named input and output.
    """

    gates: NDArray[np.int32]
    outputs: NDArray[np.int32]
    n_slots: int
    input_slices: dict[str, slice]
    output_slices: dict[str, slice]

    def __post_init__(self) -> None:
        object.__setattr__(self, "gates", read_only(self.gates))
        object.__setattr__(self, "outputs", read_only(self.outputs))

    def __repr__(self) -> str:
        return f"Circuit({self.n_inputs} inputs, {self.n_ands} ANDs, {self.n_outputs} outputs)"

    @property
    def n_inputs(self) -> int:
        """Return the number of input bits."""
        return max((part.stop for part in self.input_slices.values()), default=0)

    @property
    def n_outputs(self) -> int:
        """Return the number of output bits."""
        return len(self.outputs)

    @property
    def n_wires(self) -> int:
        """Return the number of inputs and gates."""
        return self.n_inputs + len(self.gates)

    @cached_property
    def n_ands(self) -> int:
        """Return the number of AND gates, the only ones that cost bytes when garbled."""
        return int(np.count_nonzero(self.gates[:, 2] & 1))

    def digest(self) -> bytes:
        """Return a SHA-256 digest of gates, names and order, for transcripts."""
        return self._digest

    @cached_property
    def _digest(self) -> bytes:
        digest = hashlib.sha256(_DIGEST_LABEL)
        for slices in (self.input_slices, self.output_slices):
            digest.update(len(slices).to_bytes(8, "little"))
            for name, part in slices.items():
                encoded = name.encode()
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
                digest.update(part.stop.to_bytes(8, "little"))
        digest.update(len(self.gates).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(self.gates, "<i4").data)
        digest.update(np.ascontiguousarray(self.outputs, "<i4").data)
        return digest.digest()

    def evaluate(self, input_bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Evaluate in the clear: uint8[n_inst, n_inputs] of 0/1 to uint8[n_inst, n_outputs].

        Raises ``UsageError`` for another shape or dtype.
        """
        if input_bits.dtype != np.uint8 or input_bits.shape[1:] != (self.n_inputs,):
            raise UsageError("input bits are uint8 with one row of n_inputs bits an instance")
        output_bits = np.empty((len(input_bits), self.n_outputs), np.uint8)
        evaluate_bits(self.gates, self.outputs, self.n_slots, read_only(input_bits), output_bits)
        return output_bits

    def pack_inputs(self, values: dict[str, int]) -> NDArray[np.uint8]:
        """Return the bits uint8[n_inputs] of named integers (negative ones as two's complement)."""
        if values.keys() != self.input_slices.keys():
            raise UsageError("each input needs exactly one value")
        bits = np.empty(self.n_inputs, np.uint8)
        for name, part in self.input_slices.items():
            bits[part] = integer_bits(values[name], part.stop - part.start)
        return bits

    def unpack_outputs(self, bits: NDArray[np.uint8]) -> dict[str, int]:
        """Return the unsigned integers of one instance's output bits uint8[n_outputs], by name."""
        return {name: bits_integer(bits[part]) for name, part in self.output_slices.items()}


def integer_bits(value: int, width: int) -> NDArray[np.uint8]:
    """Return the low ``width`` bits of an integer in two's complement, least significant first."""
    data = (value & ((1 << width) - 1)).to_bytes((width + 7) // 8, "little")
    return np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[:width]


def bits_integer(bits: NDArray[np.uint8]) -> int:
    """Return the unsigned integer of bits, least significant first."""
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
