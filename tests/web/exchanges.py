"""What tests have exchanged at the moment, whichever of pytest's monkeypatches did it."""

from __future__ import annotations

from weakref import WeakSet

import pytest

_PATCHES: WeakSet[pytest.MonkeyPatch] = WeakSet()


def watch() -> None:
    """Take note of every monkeypatch that is made from now on, ``context`` included."""
    make = pytest.MonkeyPatch.__init__

    def noted(self: pytest.MonkeyPatch) -> None:
        make(self)
        _PATCHES.add(self)

    pytest.MonkeyPatch.__init__ = noted  # type: ignore[method-assign]


def exchanged() -> set[str]:
    """Return the names of the attributes, and the keys of the mappings, that are exchanged now."""
    found: set[str] = set()
    for patch in _PATCHES:
        # pytest has no public word for what a test has exchanged; with its configuration it
        # exchanges something itself.
        found |= {name for of, name, _ in patch._setattr if not isinstance(of, pytest.Config)}
        found |= {str(key) for _, key, _ in patch._setitem}
    return found
