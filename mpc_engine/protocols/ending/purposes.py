"""Domain labels of the commitments of an end, and the byte that says whether the modeler goes on.

Where it does not, the rest of its message is zeros.
"""

from __future__ import annotations

TO_PROOF = b"blindjustice/v2/ending/proof"
TO_LABELS = b"blindjustice/v2/ending/labels"
TO_DECODING_BITS = b"blindjustice/v2/ending/decoding-bits"
GOES_ON = b"\x01"
STOPS = b"\x00"
