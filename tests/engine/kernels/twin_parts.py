"""What a kernel and its twin return, compared part by part."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def assert_equal_parts(got: Iterable[Any], expected: Iterable[Any]) -> None:
    """Check that arrays and integers are equal, each with that of the same place."""
    for mine, theirs in zip(got, expected, strict=True):
        assert np.array_equal(mine, theirs)
