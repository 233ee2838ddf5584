"""Divisions of people by attributes, alone or crossed, and which of them belong together."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def finest_divisions(divisions: Sequence[Collection[Name]]) -> tuple[int | None, ...]:
    """Return for each division the position of the one that crosses all attributes of its join.

    A division is the attributes that it crosses, by name or number. A join: divisions that have
    attributes in common, directly or over others. None where no division crosses all of a join.
    """
    joins = [frozenset(division) for division in divisions]
    for division in divisions:
        whole = frozenset(division).union(*(one for one in joins if not one.isdisjoint(division)))
        joins = [one if one.isdisjoint(whole) else whole for one in joins]
    sets = [frozenset(division) for division in divisions]
    return tuple(sets.index(join) if join in sets else None for join in joins)
