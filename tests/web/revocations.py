"""How a certificate is revoked: by the regulator's browser, then by both parties' signed words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from blindjustice_web.certificates.models import Certificate, Revocation
from mpc_engine.control.files.revocation import (
    ListedRevocation,
    RevocationList,
    revocation_list_text,
    sign_revocation,
    sign_revocation_list,
)
from mpc_engine.control.studies.study_texts import Revocation as SignedRevocation
from mpc_engine.control.studies.study_texts import revocation_text
from tests.web.stories import World

REASON = "The model was trained on people of the sample <b>itself</b>."


def revocation(
    world: World, certificate: Certificate, reason: str = REASON, days: float = 0
) -> dict[str, str]:
    """Return what the regulator's browser sends, dated so many days from now."""
    signed_at = timezone.now() + timedelta(days=days)
    text = revocation_text(SignedRevocation(bytes.fromhex(certificate.id), reason, signed_at))
    return {"text": text, **world.parties.regulator.approves("revocation", text)}


def revoke(world: World, certificate: Certificate, who: str = "rae", **changes: str) -> int:
    """Send a revocation; return the status."""
    body = {**revocation(world, certificate), **changes}
    return int(world.post(who, f"/certificates/{certificate.id}/revocation", body).status_code)


def _ids(certificate: Certificate, text: str) -> dict[str, str]:
    return {
        "study_id": certificate.study_id,
        "certificate_id": certificate.id,
        "revocation": hashlib.sha256(text.encode()).hexdigest(),
    }


def sign(world: World, certificate: Certificate, **changes: Any) -> bool:
    """Let the regulator's party sign a revocation that the site has; tell if the site acted."""
    text = Revocation.objects.get(pk=certificate.pk).text
    signature = sign_revocation(text, world.parties.regulator.signing_key).hex()
    values = {**_ids(certificate, text), "statement_signature": signature, **changes}
    return world.parties.regulator.says("revocation_signed", **values)


def acknowledge(world: World, certificate: Certificate, **changes: Any) -> bool:
    """Let the modeler's party acknowledge a revocation; tell if the site acted."""
    text = Revocation.objects.get(pk=certificate.pk).text
    values = {**_ids(certificate, text), **changes}
    return world.parties.modeler.says("certificate_revoked", **values)


def tell_list(world: World, number: int, revoked: Sequence[str] = ()) -> bool:
    """Let the regulator's party sign a list of certificates; tell if the site acted."""
    key = world.parties.regulator.signing_key
    now = datetime.now(UTC).replace(microsecond=0)
    ids = [bytes.fromhex(certificate_id) for certificate_id in revoked]
    text = revocation_list_text(
        RevocationList(
            number,
            now,
            now + timedelta(days=2),
            key.public_bytes,
            {one: ListedRevocation(one, bytes(32), now) for one in ids},
        )
    )
    signature = sign_revocation_list(text, key).hex()
    return world.parties.regulator.says("revocation_list", text=text, list_signature=signature)
