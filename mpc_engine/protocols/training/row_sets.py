"""The rows over which a constraint bounds covariances, by outcomes that only the modeler knows.

The modeler weighs its rows by their outcomes before they enter anything, so that the regulator
learns of no outcome. Sources: Zafar et al. (2017), section 3 (acceptance rates); Zafar et al.,
"Fairness Beyond Disparate Treatment & Disparate Impact" (WWW 2017), whose covariances with
``min(0, y d(x))`` are made linear as in Donini et al., "Empirical Risk Minimization Under Fairness
Constraints" (NeurIPS 2018), section 3: by the linear loss.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from mpc_engine.vocabulary.constraints import Constraint


class RowSet(StrEnum):
    """Rows that a covariance is taken over, and the sign with which their scores enter it."""

    ALL = "all"
    POSITIVE = "positive"
    """Rows whose outcome is 1."""
    NEGATIVE = "negative"
    """Rows whose outcome is 0."""
    SIGNED = "signed"
    """All rows; the score of a row whose outcome is 0 counts negative: its margin."""

    @property
    def is_conditional(self) -> bool:
        """Return whether outcomes decide which rows are in, so that their number is secret."""
        return self in (RowSet.POSITIVE, RowSet.NEGATIVE)


_ROW_SETS = {
    Constraint.ACCEPTANCE_RATE: (RowSet.ALL,),
    Constraint.TRUE_POSITIVE_RATE: (RowSet.POSITIVE,),
    Constraint.TRUE_NEGATIVE_RATE: (RowSet.NEGATIVE,),
    Constraint.EQUALISED_ODDS: (RowSet.POSITIVE, RowSet.NEGATIVE),
    Constraint.ACCURACY: (RowSet.SIGNED,),
}


def row_sets_of(constraint: Constraint) -> tuple[RowSet, ...]:
    """Return the sets of rows over which a constraint bounds covariances."""
    return _ROW_SETS[constraint]


def members_of(row_set: RowSet, labels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return 1 for every row that is in a set, 0 for others, int64 (n,); ``labels`` uint8 (n,)."""
    if row_set.is_conditional:
        return (labels == (row_set is RowSet.POSITIVE)).astype(np.int64)
    return np.ones(len(labels), dtype=np.int64)


def signs_of(row_set: RowSet, labels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return what each row's features are multiplied by, int64 (n,): 1, -1, or 0 if not in."""
    if row_set is RowSet.SIGNED:
        return 2 * labels.astype(np.int64) - 1
    return members_of(row_set, labels)
