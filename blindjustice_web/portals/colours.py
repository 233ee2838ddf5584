"""The site's colours, read from the style sheet that alone has them written."""

from __future__ import annotations

import re
from functools import cache

from blindjustice_web.portals.modules import served_file

TOKENS = "css/tokens.css"
_COLOUR = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")


@cache
def colours() -> dict[str, dict[str, str]]:
    """Return each colour by its name without dashes, by "light" and "dark"."""
    text = served_file(TOKENS).read_text("utf-8")
    return {name: {"light": light, "dark": dark} for name, light, dark in _COLOUR.findall(text)}
