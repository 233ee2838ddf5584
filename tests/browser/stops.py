"""Decisions about stops in the street, made up: who was stopped, why, and whether she was searched.

The table looks as a police department publishes such: words and Y/N beside numbers, columns that no
model looks at, race and sex in columns of their own, which people answer themselves here.
"""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

RACES = ("Black", "Hispanic", "White")
SEXES = ("Female", "Male")
BUILDS = ("heavy", "medium", "thin")
HEADER = ("Precinct", "Hour", "Minutes", "Build", "Uniform", "Race", "Sex", "Searched")
PERSONAL = ("Race", "Sex")
HALVES = {
    "minutes": -2,
    "build_heavy": -4,
    "build_medium": 1,
    "build_thin": 0,
    "uniform": 5,
    "hour": 0,
}
"""The model that is certified, in halves: minutes are out of 10 (unit 1), all else is 0 or 1."""
INTERCEPT_HALVES = 5


@dataclass(frozen=True)
class Stop:
    """One stop; ``race`` and ``sex`` count in ``RACES`` and ``SEXES``."""

    precinct: str
    hour: int
    minutes: int
    build: str
    uniform: bool
    race: int
    sex: int
    searched: bool

    @property
    def let_go(self) -> bool:
        """What the model decides: a score of 0 or more lets the person go unsearched."""
        score = INTERCEPT_HALVES + HALVES["minutes"] * self.minutes
        score += HALVES.get(f"build_{self.build}", 0) + HALVES["uniform"] * self.uniform
        return score >= 0

    def cells(self) -> dict[str, str]:
        """Return the row as the file has it."""
        return {
            "Precinct": self.precinct,
            "Hour": str(self.hour),
            "Minutes": str(self.minutes),
            "Build": self.build,
            "Uniform": "NY"[self.uniform],
            "Race": RACES[self.race],
            "Sex": SEXES[self.sex],
            "Searched": "NY"[self.searched],
        }


def draw_stops(count: int, seed: int) -> list[Stop]:
    """Return as many stops, the same for the same seed; each crossing of race and sex is common."""
    dice = random.Random(seed)
    return [
        Stop(
            precinct=f"{dice.randrange(1, 124)}",
            hour=dice.randrange(24),
            minutes=dice.randrange(1, 10),
            build=dice.choice(BUILDS),
            uniform=dice.random() < 0.6,
            race=number % len(RACES),
            sex=dice.randrange(len(SEXES)),
            searched=dice.random() < 0.4,
        )
        for number in range(count)
    ]


def csv_text(stops: Sequence[Stop], records: Sequence[str] = (), named: str = "record_id") -> str:
    """Return the file: with numbers of its rows, and then without what people answer themselves."""
    kept = [name for name in HEADER if not records or name not in PERSONAL]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*([named] if records else []), *kept])
    for number, stop in enumerate(stops):
        cells = stop.cells()
        writer.writerow([*records[number : number + 1], *(cells[name] for name in kept)])
    return out.getvalue()


def selected_by_group(stops: Sequence[Stop]) -> dict[str, tuple[int, int]]:
    """Return how many of how many the model lets go, by race, by sex, and by both."""
    totals: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    for stop in stops:
        race, sex = RACES[stop.race], SEXES[stop.sex]
        for group in (race, sex, f"{race} · {sex}"):
            totals[group] += 1
            chosen[group] += stop.let_go
    return {group: (chosen[group], total) for group, total in totals.items()}
