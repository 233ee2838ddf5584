"""The receipt of a record, for whoever holds its id: what both parties signed, and no answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from blindjustice_web.accounts.models import Role
from blindjustice_web.enrolment.lookups import look_up_record
from blindjustice_web.enrolment.models import Answer, Submission
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.qr import qr_response
from blindjustice_web.portals.pages import page_data, public_page
from blindjustice_web.presentation.cards.questions import ledger_view
from blindjustice_web.presentation.cards.study_views import study_view
from blindjustice_web.studies.models import StudyState


@dataclass(frozen=True)
class PartyReceiptView:
    """What one party says of the latest version."""

    role: Named
    name: str
    state: Named
    sentence: str
    at: datetime | None
    signature: str


@never_cache
@public_page
def receipt(request: HttpRequest, study_id: str, record_id: str) -> HttpResponse:
    """Show how a record's latest version stands with both parties, to keep and to print."""
    study, submissions = look_up_record(request, study_id, record_id)
    latest = submissions[-1] if submissions else None
    answers = {answer.role: answer for answer in latest.answers.all()} if latest else {}
    view = study_view(study, None)
    names = {Role.MODELER: view.modeler_name, Role.REGULATOR: view.regulator_name}
    standing = _standing(latest, answers)
    context = {
        "study": view,
        "ledger": ledger_view(study),
        "record_id": record_id,
        "standing": standing,
        "latest": latest,
        "digest": next((a.common_digest for a in answers.values() if a.accepted), ""),
        "parties": [_party(role, names[role], answers.get(role.value)) for role in names],
        "is_open": study.state == StudyState.OPEN,
        "address": receipt_address(study_id, record_id),
        "receipts_json": json.dumps(_signed(study_id, record_id, answers), indent=1),
        "page_data": page_data(request),
    }
    return render(request, "user/receipt.html", context)


@public_page
def receipt_qr(request: HttpRequest, study_id: str, record_id: str) -> HttpResponse:
    """Return the address of a receipt as a QR code; it says nothing of whether there is one."""
    return qr_response(receipt_address(study_id, record_id))


def receipt_address(study_id: str, record_id: str) -> str:
    """Return the whole address of a receipt."""
    return f"{settings.ORIGIN}{reverse('receipt', args=(study_id, record_id))}"


def _standing(latest: Submission | None, answers: dict[str, Answer]) -> Named:
    """Return where the latest version stands: HELD, WAITING, REFUSED, ALARM or NONE."""
    if latest is None:
        return Named("NONE", _("No answer has arrived"))
    if not all(answer.accepted for answer in answers.values()):
        return Named("REFUSED", _("A party could not accept the answer"))
    if len(answers) < len(Role):
        return Named("WAITING", _("Waiting for both receipts"))
    if len({answer.common_digest for answer in answers.values()}) > 1:
        return Named("ALARM", _("The two receipts do not match"))
    return Named("HELD", _("Both parties hold this answer"))


def _party(role: Role, name: str, answer: Answer | None) -> PartyReceiptView:
    if answer is None:
        state, sentence = Named("WAITING", _("Waiting")), _("No receipt yet.")
    elif answer.accepted:
        state, sentence = Named("HELD", _("Receipt signed")), ""
    else:
        state, sentence = Named("REFUSED", _("Refused")), answer.sentence
    at, signature = (answer.at, answer.signature) if answer else (None, "")
    return PartyReceiptView(Named.of(role), name, state, sentence, at, signature)


def _signed(study_id: str, record_id: str, answers: dict[str, Answer]) -> dict[str, Any]:
    return {
        "study_id": study_id,
        "record_id": record_id,
        "receipts": [
            {"role": answer.role, "body": answer.body, "signature": answer.signature}
            for answer in answers.values()
            if answer.accepted
        ],
    }
