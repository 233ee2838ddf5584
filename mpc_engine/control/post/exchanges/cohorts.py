"""The closed cohort of a study, as a closing reports it and a party tells it again."""

from __future__ import annotations

from dataclasses import dataclass

from mpc_engine.control.post.shapes import Digest, Natural, Record


@dataclass(frozen=True, kw_only=True)
class Cohort(Record):
    """Which records count, and how many: of ``n_records`` some invalid, some in disagreement."""

    record_set: Digest
    n_records: Natural
    n_invalid: Natural
    n_disagreed: Natural
