"""Every message is heard, by something that is loaded where messages arrive."""

from __future__ import annotations

import pytest

from blindjustice_web.conduct import inbox
from blindjustice_web.post.hearing import HANDLERS, hears
from mpc_engine.control.post.exchanges.about_parties import Status
from mpc_engine.control.post.table import MESSAGES


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_kind_of_message_is_heard(kind: str) -> None:
    handler = HANDLERS.get(MESSAGES[kind])
    assert handler is not None, f"nothing hears {MESSAGES[kind].__name__}"
    loaded = {module.__name__ for module in inbox.HEARING} | {inbox.__name__}
    assert handler.__module__ in loaded


def test_a_message_is_heard_in_one_place() -> None:
    with pytest.raises(TypeError, match="heard twice"):
        hears(Status)(lambda message: None)
