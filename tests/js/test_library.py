"""The browser library's own tests, run in Chromium."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

FILES = sorted(path.name for path in Path(__file__).parent.glob("*.test.js"))


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_file_passes_in_chromium(page: Page, name: str) -> None:
    result = page.evaluate(
        """async (file) => {
            await import(file);
            const { run } = await import("/tests/js/harness.js");
            return run();
        }""",
        f"/tests/js/{name}",
    )
    assert result["names"]
    assert not result["failures"], "\n".join(result["failures"])
