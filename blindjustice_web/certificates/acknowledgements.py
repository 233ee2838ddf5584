"""What pages and the API show of a revocation: what was signed, and which party knows of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.models import DeliveryState, Revocation, RevocationList
from blindjustice_web.engine import engine_revocations
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.problems import NotThere


@dataclass(frozen=True)
class AcknowledgementView:
    """Whether a party knows of a revocation, and since when it stands so."""

    role: Named
    state: Named
    at: datetime | None
    code: str
    """Why it did not accept it, where it said so."""


def acknowledgements_of(revocation: Revocation) -> list[AcknowledgementView]:
    """Return how far a revocation got with the regulator's party and with the modeler's."""
    known = {delivery.role: delivery for delivery in revocation.deliveries.all()}
    return [
        AcknowledgementView(Named.of(role), Named.of(DeliveryState(row.state)), row.at, row.code)
        if (row := known.get(role.value)) is not None
        else AcknowledgementView(Named.of(role), Named.of(DeliveryState.SENT), None, "")
        for role in (Role.REGULATOR, Role.MODELER)
    ]


def statement_signature_of(revocation: Revocation) -> str:
    """Return the signature of the regulator's party, hex; "" while it has not signed."""
    signed = [row for row in revocation.deliveries.all() if row.role == Role.REGULATOR]
    return signed[0].statement_signature if signed else ""


def statement_file(revocation: Revocation | None) -> str:
    """Return the signed statement as the file that anyone can check; NotThere without one."""
    signature = "" if revocation is None else statement_signature_of(revocation)
    if revocation is None or not signature:
        raise NotThere
    return engine_revocations.statement_as_file(revocation.text, signature)


def newest_list() -> RevocationList | None:
    """Return the newest list of revocations, None before the first."""
    return RevocationList.objects.order_by("-number").first()


def newest_list_file() -> str:
    """Return the newest list as the file that anyone can check; NotThere before the first."""
    newest = newest_list()
    if newest is None:
        raise NotThere
    return engine_revocations.list_as_file(newest.text, newest.signature)
