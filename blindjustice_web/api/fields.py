"""Types of fields that requests share."""

from __future__ import annotations

from typing import Annotated

from ninja import Path
from pydantic import Field, StringConstraints

from blindjustice_web.lib.ids import ID_PATTERN

Id = Annotated[str, StringConstraints(pattern=rf"^{ID_PATTERN}$", min_length=32, max_length=32)]
PathId = Path[Id]
OwnerKey = Annotated[str, StringConstraints(pattern=r"^04[0-9a-f]{128}$", max_length=130)]
Signature64 = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{86}==$", min_length=88, max_length=88)
]
Sequence = Annotated[int, Field(ge=0, le=(1 << 32) - 1, strict=True)]
SmallEnvelope = Annotated[str, StringConstraints(min_length=100, max_length=700_000)]
SealedPart = Annotated[str, StringConstraints(min_length=4, max_length=1_400_000)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$", min_length=64, max_length=64)]
PartNumber = Path[Annotated[int, Field(ge=0, le=1000)]]
LongText = Annotated[str, StringConstraints(min_length=2, max_length=30_000_000)]
ShortText = Annotated[str, StringConstraints(min_length=2, max_length=4096)]
Name = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$"
    ),
]
