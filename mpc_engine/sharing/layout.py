"""Shape of a study's envelopes; every size follows from it and none from an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from mpc_engine.crypto.digests import DIGEST_BYTES, KEY_ID_BYTES
from mpc_engine.crypto.hpke import OVERHEAD_BYTES
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role

ID_BYTES = 16
KEY_BYTES = 16
BLIND_BYTES = 32
HASHES_PER_ENTRY = 4
ENVELOPE_HEADER_BYTES = 2 + KEY_ID_BYTES
MAX_ENTRIES = 256

_COMMON_FIXED_BYTES = 2 + DIGEST_BYTES + 2 * ID_BYTES + 4 + 2 + 2 * DIGEST_BYTES
_ENTRY_SHARE_BYTES = 8 + 3 * KEY_BYTES


@dataclass(frozen=True)
class EnvelopeLayout:
    """A study's categories, data fields and identity.

    ``category_counts``: entries per attribute, "prefer not to say" included and last.
    ``data_holder``: the party whose plaintext ends with the blind and, unless ``data_by_file``
    (x and y come to it in a file, joined by record id), with x and y.
    ``feature_ranges``: inclusive (minimum, maximum) of each encoded feature, int32.
    """

    study_id: bytes
    config_digest: bytes
    category_counts: tuple[int, ...]
    data_holder: Role
    data_by_file: bool
    feature_ranges: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if len(self.study_id) != ID_BYTES:
            raise UsageError("A study id has 16 bytes.")
        if len(self.config_digest) != DIGEST_BYTES:
            raise UsageError("A configuration digest has 32 bytes.")
        if not self.category_counts or min(self.category_counts) < 2:
            raise UsageError("A study asks at least one question of at least two answers.")
        if sum(self.category_counts) > MAX_ENTRIES:
            raise UsageError(f"A study has at most {MAX_ENTRIES} answers to choose from.")
        for low, high in self.feature_ranges:
            if not -(1 << 31) <= low <= high < 1 << 31:
                raise UsageError("A feature's encoded range must be ordered and fit 32 bits.")

    @cached_property
    def n_entries(self) -> int:
        """Return the number of one-hot entries over all attributes."""
        return sum(self.category_counts)

    @property
    def n_features(self) -> int:
        """Return the number of encoded features."""
        return len(self.feature_ranges)

    @cached_property
    def common_bytes(self) -> int:
        """Return the size of the common block."""
        return _COMMON_FIXED_BYTES + self.n_entries * HASHES_PER_ENTRY * DIGEST_BYTES

    def plaintext_bytes(self, role: Role) -> int:
        """Return the size of a party's plaintext."""
        size = self.common_bytes + DIGEST_BYTES + self.n_entries * _ENTRY_SHARE_BYTES
        if role is self.data_holder:
            size += BLIND_BYTES
            if not self.data_by_file:
                size += 4 * self.n_features + 1
        return size

    def envelope_bytes(self, role: Role) -> int:
        """Return the size of a party's sealed envelope."""
        return ENVELOPE_HEADER_BYTES + OVERHEAD_BYTES + self.plaintext_bytes(role)

    def one_hot(self, answers: Sequence[int]) -> tuple[int, ...]:
        """Return the 0/1 entries of the chosen category per attribute; UsageError if none fits."""
        if len(answers) != len(self.category_counts):
            raise UsageError("Each question needs exactly one answer.")
        entries: list[int] = []
        for answer, count in zip(answers, self.category_counts, strict=True):
            if not 0 <= answer < count:
                raise UsageError("An answer is not among the study's choices.")
            entries.extend(int(answer == category) for category in range(count))
        return tuple(entries)
