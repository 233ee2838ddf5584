"""Write the vectors: ``python -m tests.vectors.generate``; ``--check`` compares instead.

Every byte follows from the labels in these modules, so that running it again changes nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.vectors.envelope_cases import envelope_cases
from tests.vectors.message_cases import (
    invitation_cases,
    signature_cases,
)
from tests.vectors.name_cases import name_cases
from tests.vectors.refusal_cases import intake_cases, succession_cases
from tests.vectors.seal_cases import hpke_cases, sealed_cases
from tests.vectors.table_cases import table_cases
from tests.vectors.value_cases import canonical_cases, encoding_cases, study_cases

FOLDER = Path(__file__).parent


def vector_files() -> dict[str, Any]:
    """Return the content of every vector file by its name."""
    return {
        "envelopes.json": envelope_cases(),
        "intake.json": {**intake_cases(), "succession": succession_cases()},
        "hpke.json": hpke_cases(),
        "sealed.json": sealed_cases(),
        "signatures.json": signature_cases(),
        "invitations.json": invitation_cases(),
        "encoding.json": encoding_cases(),
        "canonical.json": canonical_cases(),
        "names.json": name_cases(),
        "study.json": study_cases(),
        "tables.json": table_cases(),
    }


def main(arguments: list[str]) -> int:
    """Write every file, or with ``--check`` name those that differ."""
    stale = []
    for name, content in vector_files().items():
        text = json.dumps(content, indent=1, ensure_ascii=True) + "\n"
        path = FOLDER / name
        if arguments != ["--check"]:
            path.write_text(text, encoding="ascii")
        elif not path.exists() or path.read_text(encoding="ascii") != text:
            stale.append(name)
    if stale:
        sys.stderr.write(f"not as generated: {', '.join(stale)}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
