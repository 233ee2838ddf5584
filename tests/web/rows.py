"""All rows of the site's database: read, and changed from one state to another, as they are."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper

Tables = dict[str, list[tuple[Any, ...]]]
"""The rows of every table, each value as the database keeps it."""

_COLUMNS: dict[str, list[str]] = {
    model._meta.db_table: [
        field.column for field in model._meta.local_concrete_fields if field.column
    ]
    for model in apps.get_models(include_auto_created=True)
}
_KEYS: dict[str, str] = {
    model._meta.db_table: str(model._meta.pk.column)
    for model in apps.get_models(include_auto_created=True)
    if model._meta.pk
}


def read(connection: BaseDatabaseWrapper) -> Tables:
    """Return the rows of every table, in the order of their keys."""
    found: Tables = {}
    with connection.cursor() as cursor:
        for table, columns in _COLUMNS.items():
            if connection.vendor == "postgresql":
                what = f'"{table}"::text'
            else:
                # A column becomes a Python value of its type, an expression stays as it is.
                what = ", ".join(f'+"{column}"' for column in columns)
            cursor.execute(f'SELECT {what} FROM "{table}" ORDER BY "{_KEYS[table]}"')
            found[table] = cursor.fetchall()
    return found


def change(connection: BaseDatabaseWrapper, before: Tables, after: Tables) -> None:
    """Turn the rows of one state into those of another.

    Tables that are only added to refuse a deletion; none of their rows is ever to be deleted.
    """
    with connection.cursor() as cursor:
        for table, columns in _COLUMNS.items():
            old, new = set(before[table]), after[table]
            if old <= set(new):
                new = [row for row in new if row not in old]
            else:
                cursor.execute(f'DELETE FROM "{table}"')
            if not new:
                continue
            if connection.vendor == "postgresql":
                statement = f'INSERT INTO "{table}" SELECT (%s::"{table}").*'
            else:
                names = ", ".join(f'"{column}"' for column in columns)
                places = ", ".join(["%s"] * len(columns))
                statement = f'INSERT INTO "{table}" ({names}) VALUES ({places})'
            cursor.executemany(statement, new)
