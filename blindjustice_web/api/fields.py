"""Types of fields that requests share."""

from __future__ import annotations

from typing import Annotated

from ninja import Path
from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from blindjustice_web.engine.engine_texts import text_fault
from blindjustice_web.lib.ids import ID_PATTERN


def _plain(text: str) -> str:
    """Return text that people are to read; refused by the rule of a study's names."""
    fault = text_fault(text)
    if fault:
        raise PydanticCustomError("name", "It {fault}", {"fault": fault})
    return text


def _one_line(text: object) -> object:
    return " ".join(text.split()) if isinstance(text, str) else text


IdText = Annotated[str, StringConstraints(pattern=rf"^{ID_PATTERN}$", min_length=32, max_length=32)]
PathId = Path[IdText]
OwnerKey = Annotated[str, StringConstraints(pattern=r"^04[0-9a-f]{128}$", max_length=130)]
Signature64 = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{86}==$", min_length=88, max_length=88)
]
Sequence = Annotated[int, Field(ge=0, le=(1 << 32) - 1, strict=True)]
SmallEnvelope = Annotated[str, StringConstraints(min_length=100, max_length=700_000)]
SealedPart = Annotated[str, StringConstraints(min_length=4, max_length=1_400_000)]
DigestText = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{64}$", min_length=64, max_length=64)
]
PartNumber = Path[Annotated[int, Field(ge=0, le=1000)]]
LongText = Annotated[str, StringConstraints(min_length=2, max_length=30_000_000)]
ShortText = Annotated[str, StringConstraints(min_length=2, max_length=4096)]
Name = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100),
    AfterValidator(_plain),
]
Reason = Annotated[
    str,
    StringConstraints(min_length=1, max_length=1000),
    BeforeValidator(_one_line),
    AfterValidator(_plain),
]
"""Its lines are joined."""
