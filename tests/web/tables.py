"""A table of the size of the Adult data, made up: 50 encoded features of 14 columns."""

from __future__ import annotations

import csv
import io
import random
from typing import Any

NUMBERS = {
    "years": (17, 90, 0),
    "final_weight": (12_285, 1_484_705, 0),
    "years_of_school": (1, 16, 0),
    "gain": (0, 99_999, 2),
    "loss": (0, 4_356, 2),
    "hours": (1, 99, 1),
}
"""Least value, greatest value and decimals of the columns of numbers."""
CATEGORIES = {
    "Work class": [
        "Private",
        "State-gov",
        "Federal-gov",
        "Local, gov",
        "Self",
        "Other",
        "None",
        "?",
    ],
    "Education": ["Bachelors", "HS-grad", "11th", "Masters", "9th", "Some-college", "Doctorate"],
    "Occupation": ["Tech", "Craft", "Sales", "Exec", "Clerical", "Farming", "Armed"],
    "Relationship": ["Wife", "Husband", "Own-child", "Not-in-family", "Other", "Unmarried"],
    "Region": ["North", "South", "East", "West", "Abroad"],
    "Tenure": ["Owner", "Tenant", "Family", "None", "Other"],
    "Contract": ["Permanent", "Fixed", "Agency", "Own"],
    "Shift": ["Day", "Night"],
}
"""Values of the columns of words; 44 in all."""
LABEL = {"name": "income", "title": "Income", "favourable": ">50K", "unfavourable": "<=50K"}
HEADER = ["record_id", *NUMBERS, *CATEGORIES, "Income"]


def column_name(title: str) -> str:
    """Return a column's machine name."""
    return title.lower().replace(" ", "_")


def features() -> list[dict[str, Any]]:
    """Return the 50 features of a study about this table."""
    numbers = [
        {
            "name": name,
            "title": name,
            "unit": "100" if high > 1000 else "10",
            "minimum": str(low),
            "maximum": str(high),
        }
        for name, (low, high, _) in NUMBERS.items()
    ]
    words = [
        {
            "name": f"{column_name(title)}_{number}",
            "title": f"{title}: {value}",
            "unit": "1",
            "minimum": "0",
            "maximum": "1",
            "category": {"column": column_name(title), "value": value},
        }
        for title, values in CATEGORIES.items()
        for number, value in enumerate(values)
    ]
    return numbers + words


def rows(records: list[str], seed: int = 1) -> list[list[str]]:
    """Return a row for each record, with cells in the order of the header."""
    rng = random.Random(seed)
    return [
        [
            record,
            *(f"{rng.uniform(low, high):.{places}f}" for low, high, places in NUMBERS.values()),
            *(rng.choice(values) for values in CATEGORIES.values()),
            rng.choice([">50K", "<=50K", "<=50K", ""]),
        ]
        for record in records
    ]


def csv_text(table: list[list[str]], *, delimiter: str = ",") -> str:
    """Return header and rows as a CSV file."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([HEADER, *table])
    return out.getvalue()
