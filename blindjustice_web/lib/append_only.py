"""Rows that are written once: neither the site's code nor its database takes another word back."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class ImmutableError(Exception):
    """Something that is to stay as it is was about to be changed: a defect of the site."""


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    raise ImmutableError("rows of this table are only added")


class AppendOnlyRows(models.QuerySet["AppendOnly"]):
    """Rows that can be added and read."""

    update = _refuse
    delete = _refuse
    bulk_update = _refuse
    _raw_delete = _refuse


class AppendOnly(models.Model):
    """A row that stays as it was added."""

    objects = AppendOnlyRows.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add the row; refuse to save it again."""
        if not self._state.adding:
            _refuse()
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse."""
        _refuse()


def guard(connection: BaseDatabaseWrapper, table: str) -> None:
    """Make the database itself refuse changes and deletions of a table's rows."""
    with connection.cursor() as cursor:
        for statement in _STATEMENTS[connection.vendor]:
            cursor.execute(statement.format(table=table))


def unguard(connection: BaseDatabaseWrapper, table: str) -> None:
    """Take the refusal away again: for going back to an earlier version, and for tests."""
    with connection.cursor() as cursor:
        for event in ("update", "delete"):
            on = f" ON {table}" if connection.vendor == "postgresql" else ""
            cursor.execute(f"DROP TRIGGER IF EXISTS {table}_no_{event}{on}")


_STATEMENTS = {
    "sqlite": tuple(
        f"CREATE TRIGGER {{table}}_no_{event} BEFORE {event.upper()} ON {{table}} "
        "BEGIN SELECT RAISE(ABORT, 'rows of this table are only added'); END"
        for event in ("update", "delete")
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'rows of this table are only added'; END $$",
        *(
            f"CREATE TRIGGER {{table}}_no_{event} BEFORE {event.upper()} ON {{table}} "
            "FOR EACH ROW EXECUTE FUNCTION {table}_refuse()"
            for event in ("update", "delete")
        ),
    ),
}
