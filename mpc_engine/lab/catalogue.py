"""All experiments, in the order of the report."""

from __future__ import annotations

from mpc_engine.lab.experiment import Experiment
from mpc_engine.lab.figures import accuracy, beyond, choices, costs, fractions, rates

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for module in (accuracy, fractions, costs, beyond, rates, choices)
    for experiment in module.EXPERIMENTS
}
