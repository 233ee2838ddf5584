"""All experiments, in the order of the report."""

from __future__ import annotations

from mpc_engine.lab.experiment import Experiment
from mpc_engine.lab.figures import accuracy, beyond, choices, costs, fractions, minibatch, rates

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for module in (accuracy, fractions, costs, beyond, rates, minibatch, choices)
    for experiment in module.EXPERIMENTS
}
