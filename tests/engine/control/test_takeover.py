from __future__ import annotations

import json

import pytest

from mpc_engine.control.studies.takeover import Takeover, parse_takeover, takeover_text
from mpc_engine.control.texts.canonical import JsonValue, canonical_text
from mpc_engine.errors import UsageError

TAKEOVER = Takeover(b"s" * 16, b"c" * 32, {b"m" * 16: b"t" * 16, b"n" * 16: b"u" * 16})
TEXT = takeover_text(TAKEOVER)


def test_a_takeover_reads_back() -> None:
    assert parse_takeover(TEXT) == TAKEOVER


@pytest.mark.parametrize(
    "models",
    [
        [],
        [{"model_id": "6d" * 16}],
        [{"model_id": "6d" * 16, "trained_as": "74" * 16, "name": "x"}],
        [{"model_id": "6d" * 16, "trained_as": "6d" * 16}],
        [{"model_id": "6d" * 16, "trained_as": "74" * 16}] * 2,
        [{"model_id": f"{n:02x}" * 16, "trained_as": "74" * 16} for n in range(2)],
        [{"model_id": f"{n:02x}" * 16, "trained_as": f"{n + 99:02x}" * 16} for n in range(13)],
    ],
)
def test_a_fault_is_named(models: list[JsonValue]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_takeover(canonical_text({**json.loads(TEXT), "models": models}))
    assert caught.value.code == "TAKEOVER_INVALID"
