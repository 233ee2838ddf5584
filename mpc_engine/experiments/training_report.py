"""What a fit took and how exact it was."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainingReport:
    """Cost and precision of one fit; of a path's model, the costs of the whole path.

    ``secure``: whether two processes ran the protocol; otherwise all costs but ``steps`` are zero.
    ``seconds_offline`` and ``seconds_online``: base OTs and waiting for material; all else of
    the protocol. ``seconds_total``: with the start and the end of both processes. ``bytes``: sent
    by both parties, frame headers included; ``rounds``: answers the modeler waited for;
    ``peak_rss_bytes``: of the larger process. ``largest_excess``: of ``abs(A theta)``
    over its constraint; above 0 where the steps were too few to hold it. ``largest_difference``:
    of a coefficient or the intercept for standardised features, from the same algorithm in float64.
    """

    secure: bool
    steps: int
    constraints: int
    seconds_total: float
    seconds_offline: float
    seconds_online: float
    bytes: int
    rounds: int
    peak_rss_bytes: int
    largest_excess: float
    largest_difference: float
