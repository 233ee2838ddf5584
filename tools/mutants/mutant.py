"""What a mutant is, and putting one into a tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """One protection taken out of the code, and the test that notices."""

    name: str
    protection: str
    """What holds as long as the code is whole, in words."""
    file: str
    """Path of the changed file, from the top of the tree."""
    old: str
    """Text that occurs exactly once in the file."""
    new: str
    test: str
    """Node id of the test that must fail."""
    shows: str = ""
    """Text that the failure must show, where a test could fail for another reason."""
    also: tuple[tuple[str, str], ...] = ()
    """Further changes of the file, so that honest parties still understand each other."""
    needs_vectors: bool = False
    """The code runs only on a processor with vector AES: elsewhere nothing can notice."""

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return every change: what is taken out and what stands there instead."""
        return ((self.old, self.new), *self.also)


def without(mutant: Mutant, text: str) -> str:
    """Return a file's text without the mutant's protection; ValueError if it isn't there once."""
    for old, new in mutant.changes:
        if text.count(old) != 1:
            raise ValueError(
                f"{mutant.name}: {mutant.file} has this {text.count(old)} times: {old}"
            )
        text = text.replace(old, new)
    return text


def put_in(mutant: Mutant, tree: Path) -> None:
    """Take a mutant's protection out of a file of ``tree``."""
    path = tree / mutant.file
    path.write_text(without(mutant, path.read_text(encoding="utf-8")), encoding="utf-8")
