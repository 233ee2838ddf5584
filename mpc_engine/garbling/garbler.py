"""The garbler's side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpc_engine.circuits import Circuit
from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.garbling.instance_counter import InstanceCounter
from mpc_engine.garbling.labels import Labels, require_labels
from mpc_engine.garbling.tweaks import first_tweak_word
from mpc_engine.kernels.aes import AES_PATH, AesPath, key_schedule
from mpc_engine.kernels.garbling import TABLE_WORDS, garble
from mpc_engine.kernels.jit import read_only


@dataclass(frozen=True, repr=False, eq=False)
class Garbled:
    """A garbled batch: ``tables`` go to the evaluator, ``output_zero_labels`` stay secret.

    ``tables`` uint64[n_inst, n_ands, 4], 32 bytes an AND gate; ``output_zero_labels``
    uint64[n_inst, n_outputs, 2].
    """

    tables: Labels
    output_zero_labels: Labels

    def __repr__(self) -> str:
        return f"Garbled(<secret>, shape={self.tables.shape})"


class Garbler:
    """Garbles circuits under one ``delta`` (uint64[2], lowest bit 1) and one hash key of a job.

    Tables may be sent before inputs are chosen: that rests on adaptive security of half gates in
    the ideal-permutation model. A garbled instance serves one evaluation: two inputs on one
    instance give ``delta`` away.
    """

    def __init__(
        self,
        hash_: TweakedHash,
        delta: Labels,
        rng: Randomness,
        *,
        counter: InstanceCounter | None = None,
        path: AesPath = AES_PATH,
    ) -> None:
        require_labels(delta)
        if delta.shape != (2,) or not int(delta[0]) & 1:
            raise UsageError("Delta is one block whose lowest bit is 1.")
        self._schedule = key_schedule(hash_.round_keys, path)
        self._delta = read_only(delta.copy())
        self._rng = rng
        self._counter = counter or InstanceCounter()

    def __repr__(self) -> str:
        return "Garbler(<secret>)"

    def forget_delta(self) -> None:
        """Overwrite this garbler's copy of delta; it must not garble any more."""
        self._delta.flags.writeable = True
        self._delta[:] = 0

    def fresh_zero_labels(self, *shape: int) -> Labels:
        """Return uniform zero labels uint64[*shape, 2], for inputs that no transfer fixes."""
        return self._rng.words(*shape, 2)

    def garble(self, circuit: Circuit, zero_labels: Labels) -> Garbled:
        """Garble one instance for each row of ``zero_labels`` uint64[n_inst, n_inputs, 2].

        Takes n_inst fresh instance ids; the evaluator must evaluate in the same order. Raises
        ``UsageError`` for another shape. Source: Zahur, Rosulek, Evans, "Two Halves Make a Whole",
        2015, figure 2. An output that is the constant c has zero label ``c delta``; the evaluator
        holds the label of zeros.
        """
        require_labels(zero_labels)
        if zero_labels.ndim != 3 or zero_labels.shape[1] != circuit.n_inputs:
            raise UsageError("Zero labels have the shape (instances, inputs, 2).")
        n_instances = len(zero_labels)
        tables = np.empty((n_instances, circuit.n_ands, TABLE_WORDS), np.uint64)
        outputs = np.empty((n_instances, circuit.n_outputs, 2), np.uint64)
        garble(
            circuit.gates,
            circuit.outputs,
            circuit.n_slots,
            read_only(zero_labels),
            self._delta,
            first_tweak_word(self._counter, n_instances),
            self._schedule,
            tables,
            outputs,
        )
        return Garbled(tables, outputs)
