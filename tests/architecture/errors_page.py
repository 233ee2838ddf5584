"""Write ``docs/errors.md`` from the rows of codes.

``python -m tests.architecture.errors_page`` does it.
"""

from __future__ import annotations

from blindjustice_web.lib.error_words import SITE_TOPICS, Topic
from demo import error_words as of_the_demo
from tests.architecture.source_tree import ROOT

ALL_TOPICS = (*SITE_TOPICS, Topic(of_the_demo.TITLE, of_the_demo.WORDS))
PAGE = ROOT / "docs" / "errors.md"
_HEAD = """# Error codes

Every code that a page, the API, a party's command, the client library or a log can show: what
happened, what was kept (what is saved, charged or lost), and what to do now. The sentence beside a
code names the case at hand; this page is about the code. A site serves the same words at
`/errors/`, and leads there wherever it shows a code.

This page is written by `python -m tests.architecture.errors_page` from the rows in
`mpc_engine/error_words`, `blindjustice_web/lib/error_words` and `demo/error_words.py`;
`./run check` fails where it is out of date, or where a code has no row. Change the rows.
"""


def page_text() -> str:
    """Return the page as it should be."""
    return "\n".join([_HEAD, *map(_section, ALL_TOPICS)])


def _section(topic: Topic) -> str:
    rows = [
        f'| <a id="{code}"></a>`{code}` | {words.what} | {words.kept} | {words.next} |'
        for code, words in sorted(topic.words.items())
    ]
    head = [
        "| code | what happened | what was kept | what to do now |",
        "| --- | --- | --- | --- |",
    ]
    return "\n".join([f"## {topic.title}", "", *head, *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(page_text(), encoding="utf-8")
