"""The stored vectors are what their generator makes."""

from __future__ import annotations

import json

import pytest

from tests.engine.sharing.listed import VECTORS
from tests.vectors.generate import vector_files


@pytest.mark.slow
def test_stored_vectors_equal_the_generated() -> None:
    for name, content in vector_files().items():
        stored = (VECTORS / name).read_text(encoding="ascii")
        assert stored == json.dumps(content, indent=1, ensure_ascii=True) + "\n", name
