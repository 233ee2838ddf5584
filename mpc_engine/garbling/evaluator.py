"""The evaluator's side."""

from __future__ import annotations

import numpy as np

from mpc_engine.circuits import Circuit
from mpc_engine.crypto.tweaked_hash import TweakedHash
from mpc_engine.errors import UsageError
from mpc_engine.garbling.instance_counter import InstanceCounter
from mpc_engine.garbling.labels import Labels, require_labels
from mpc_engine.garbling.tweaks import first_tweak_word
from mpc_engine.kernels.aes import AES_PATH, AesPath, key_schedule
from mpc_engine.kernels.garbling import TABLE_WORDS, evaluate
from mpc_engine.kernels.jit import read_only


class Evaluator:
    """Evaluates garbled circuits under the hash key of a job, in the garbler's order."""

    def __init__(
        self,
        hash_: TweakedHash,
        *,
        counter: InstanceCounter | None = None,
        path: AesPath = AES_PATH,
    ) -> None:
        self._schedule = key_schedule(hash_.round_keys, path)
        self._counter = counter or InstanceCounter()

    def __repr__(self) -> str:
        return "Evaluator(<secret>)"

    def evaluate(self, circuit: Circuit, labels: Labels, tables: Labels) -> Labels:
        """Return the output labels uint64[n_inst, n_outputs, 2] of the instances.

        ``labels`` uint64[n_inst, n_inputs, 2], one label for each input; ``tables``
        uint64[n_inst, n_ands, 4] as garbled. Takes n_inst fresh instance ids. Raises ``UsageError``
        for other shapes. Wrong labels or tables give wrong outputs, which only the garbler notices.
        """
        require_labels(labels)
        if labels.ndim != 3 or labels.shape[1] != circuit.n_inputs:
            raise UsageError("Input labels have the shape (instances, inputs, 2).")
        n_instances = len(labels)
        if tables.dtype != np.uint64 or tables.shape != (n_instances, circuit.n_ands, TABLE_WORDS):
            raise UsageError("Tables are uint64 of the shape (instances, AND gates, 4).")
        outputs = np.empty((n_instances, circuit.n_outputs, 2), np.uint64)
        evaluate(
            circuit.gates,
            circuit.outputs,
            circuit.n_slots,
            read_only(labels),
            read_only(tables),
            first_tweak_word(self._counter, n_instances),
            self._schedule,
            outputs,
        )
        return outputs
