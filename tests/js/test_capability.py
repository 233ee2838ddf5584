"""A browser that lacks something is told so before it is asked for anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page

PROBLEM = """
async () => (await import("/static/js/lib/capability.js")).capabilityProblem()
"""

KEPT = """
async () => {
  const { keepLinks, keptLinks } = await import("/static/js/lib/kept_links.js");
  const { keptUpload } = await import("/static/js/lib/kept_upload.js");
  const refusal = await keepLinks("/x", {}).then(() => "kept", (error) => error.code);
  return [await keptLinks("/x"), await keptUpload("/x"), refusal];
}
"""

WITHOUT = {
    "NO_X25519": """
      const generate = SubtleCrypto.prototype.generateKey;
      SubtleCrypto.prototype.generateKey = function (algorithm, ...rest) {
        return algorithm.name === "X25519"
          ? Promise.reject(new DOMException("", "NotSupportedError"))
          : generate.call(this, algorithm, ...rest);
      };
    """,
    "NO_P256": """
      SubtleCrypto.prototype.generateKey = () =>
        Promise.reject(new DOMException("", "NotSupportedError"));
    """,
    "NO_WEBCRYPTO": "Object.defineProperty(crypto, 'subtle', {value: undefined});",
    "NO_KEY_STORE": "Object.defineProperty(globalThis, 'indexedDB', {value: undefined});",
}


def test_chromium_lacks_nothing(page: Page) -> None:
    assert page.evaluate(PROBLEM) is None


@pytest.mark.slow
@pytest.mark.parametrize("problem", WITHOUT)
def test_what_is_missing_is_named(page: Page, problem: str) -> None:
    page.evaluate(f"() => {{ {WITHOUT[problem]} }}")
    assert page.evaluate(PROBLEM) == problem


def test_a_page_without_https_is_named(browser: Browser, insecure_origin: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{insecure_origin}/tests/js/page.html")
    assert page.evaluate(PROBLEM) == "INSECURE_PAGE"
    assert page.evaluate(KEPT) == [None, None, "LINKS_NOT_KEPT"]
    context.close()
