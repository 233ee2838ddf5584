"""Fair models for experiments: both parties on one machine, as two processes over the real line.

The process that calls this package has everybody's answers; nothing is hidden from it. Use it to
find out what the protocol gives and costs, not to protect people.
"""

from mpc_engine.experiments.failures import InputError, NotFittedError, PartyFailedError
from mpc_engine.experiments.fair_logistic_regression import FairLogisticRegression
from mpc_engine.experiments.training_report import TrainingReport

__all__ = [
    "FairLogisticRegression",
    "InputError",
    "NotFittedError",
    "PartyFailedError",
    "TrainingReport",
]
