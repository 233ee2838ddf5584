"""What the protocols' tests share: base OTs are not their subject, so they are ideal."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _ideal(ideal_base_ots: None) -> None:
    """Start every session from ideal base OTs; real ones open the sessions of whole jobs."""
