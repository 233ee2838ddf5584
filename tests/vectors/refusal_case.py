"""How one must-fail submission is built: an honest one, changed in one way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.vectors.envelope_cases import PARTY_KEYS, make_study
from tests.vectors.reference_envelope import (
    ROLES,
    Draft,
    Owner,
    Study,
    credential,
    digest,
    draft,
    seal_share,
    signed_message,
)
from tests.vectors.stream import Stream

STUDIES = {
    "person": make_study("intake", [2, 3], "regulator", [[-100, 100], [0, 30720]]),
    "modeler": make_study("intake at modeler", [3], "modeler", [[0, 9]]),
    "file": make_study("intake by file", [2, 3], "regulator", [[0, 9]], by_file=True),
    "file at modeler": make_study("intake at modeler by file", [3], "modeler", [], by_file=True),
}
OTHER_ROLE = {"modeler": "regulator", "regulator": "modeler"}

Change = Callable[[Draft], None]
Delivery = dict[str, Any]


def honest_draft(study: Study, label: str = "honest", sequence: int = 0) -> Draft:
    """Return an honest submission of a study."""
    stream = Stream(f"intake {label}")
    n = sum(study.category_counts)
    return draft(
        study,
        answers=[count - 1 for count in study.category_counts],
        features=None if study.data_by_file else [low for low, _ in study.feature_ranges],
        label=1,
        record_id=Stream("intake record").bytes(16),
        code=Stream("intake code").bytes(16),
        sequence=sequence,
        owner=Owner("intake owner"),
        randomness=stream.bytes(16 + 72 * n + 32),
    )


def refusal_case(
    name: str,
    role: str,
    refusal: str | None,
    *,
    study: str = "person",
    change: Change | None = None,
    bound: dict[str, Any] | None = None,
    tamper: Callable[[dict[str, bytes]], None] | None = None,
    signer: Owner | None = None,
    deliver: Callable[[Delivery], None] | None = None,
) -> dict[str, Any]:
    """Build a case: change the draft, seal (bound elsewhere), tamper, sign, alter the delivery."""
    made = honest_draft(STUDIES[study])
    if change is not None:
        change(made)
    drawn = Stream(f"intake {name} {role}")
    envelopes = {}
    for each in ROLES:
        bindings = bound if each == role else None
        share = seal_share(made, each, PARTY_KEYS[each], drawn.bytes(64), bindings)
        envelopes[each] = share[1]
    if tamper is not None:
        tamper(envelopes)
    owner = signer or made.owner
    delivery: Delivery = {
        "envelope": envelopes[role],
        "other_envelope_digest": digest(envelopes[OTHER_ROLE[role]]),
        "owner_public_key": made.owner.public,
        "signature": owner.sign(signed_message(made.common_bytes(), envelopes)),
        "record_id": made.record_id,
        "submission_id": made.submission_id,
        "sequence": made.sequence,
        "key_id": PARTY_KEYS[role].key_id,
        "credential": credential(made.code, role),
    }
    if deliver is not None:
        deliver(delivery)
    return {
        "name": name,
        "study": study,
        "role": role,
        "refusal": refusal,
        "delivery": {
            field: value.hex() if isinstance(value, bytes) else value
            for field, value in delivery.items()
        },
    }
