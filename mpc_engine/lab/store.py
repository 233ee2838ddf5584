"""Results on disk, a line for each task as it is done, so that a killed run goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_NAME = "points.jsonl"


class Store:
    """The file of a folder; its first line says under what its rows were made.

    ``rows``: by key. Rows made under anything else (another commit, versions, files of data) are
    dropped when it is opened; so is a last line that was not written whole.
    """

    def __init__(self, folder: Path, made_under: Row) -> None:
        self._path = folder / _NAME
        self.rows: dict[str, Row] = {}
        kept = self._read(made_under)
        with self._path.with_suffix(".part").open("w", encoding="utf-8") as stream:
            stream.write("".join(f"{line}\n" for line in kept))
            stream.flush()
            os.fsync(stream.fileno())
        self._path.with_suffix(".part").replace(self._path)

    def add(self, key: str, row: Row) -> None:
        """Keep a row; it is on disk when this returns."""
        self.rows[key] = row
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"key": key, "row": row}) + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _read(self, made_under: Row) -> list[str]:
        head = json.dumps(made_under, sort_keys=True)
        lines = self._path.read_text("utf-8").split("\n") if self._path.exists() else []
        if not lines or lines[0] != head:
            return [head]
        for line in lines[1:]:
            try:
                found = json.loads(line)
            except ValueError:
                continue
            self.rows[found["key"]] = found["row"]
        return [head, *(json.dumps({"key": k, "row": row}) for k, row in self.rows.items())]
