"""Pages of people whose data is used: take part, my page, challenges."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import user_of
from blindjustice_web.certificates.access import published_certificate, published_certificates
from blindjustice_web.certificates.models import Certificate
from blindjustice_web.challenges.access import challenges_for, own_challenge
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.challenges.selectors import alarms_by_certificate
from blindjustice_web.challenges.services import typed_challenges_left, why_not_typed
from blindjustice_web.engine import engine_client
from blindjustice_web.lib.ids import is_id
from blindjustice_web.lib.named import Live
from blindjustice_web.lib.paging import page_of
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.lib.qr import fits_qr, qr_response
from blindjustice_web.notices.services import choose_mail
from blindjustice_web.portals.pages import (
    page_data,
    person_page,
    public_page,
    render_live,
)
from blindjustice_web.presentation.cards.certificates import certificate_card
from blindjustice_web.presentation.cards.challenges import (
    challenge_card,
    challenge_cards,
    outcomes_explained,
)
from blindjustice_web.presentation.cards.questions import ledger_view
from blindjustice_web.presentation.cards.studies import keys_of
from blindjustice_web.presentation.cards.study_views import study_view
from blindjustice_web.studies.access import public_study
from blindjustice_web.studies.models import StudyState

RECORD_URL = "/api/v1/studies/{study_id}/records/{record_id}"
QUESTIONS_URL = "/api/v1/studies/{study_id}/questions"
RECEIPT_URL = "/take-part/{study_id}/receipts/{record_id}/"


@public_page
def take_part(request: HttpRequest, study_id: str) -> HttpResponse:
    """Show who learns what and why, and the questions; the browser does the rest."""
    study = public_study(study_id)
    view = study_view(study, None)
    by_person = view.data_source.value == "person"
    is_open = study.state == StudyState.OPEN
    context = {
        "study": view,
        "ledger": ledger_view(study),
        "is_open": is_open,
        "closed_sentence": "" if is_open else _closed_sentence(study.state),
        "asks_features": by_person,
        "asks_label": by_person,
        "page_data": page_data(
            request,
            study_id=study.id,
            state=study.state,
            configuration_text=view.text,
            configuration_digest=view.digest,
            submit_url=f"/api/v1/studies/{study.id}/submissions",
            record_url=f"/api/v1/studies/{study.id}/records/{{record_id}}",
            receipt_url=f"/take-part/{study.id}/receipts/{{record_id}}/",
        ),
    }
    return render(request, "user/take_part.html", context)


@person_page
def my_page(request: HttpRequest) -> HttpResponse:
    """Show a person's cases; her studies and receipts are in her browser."""
    own = challenges_for(user_of(request)).filter(owner=user_of(request))
    page = page_of(request, own)
    context = {
        "challenges": challenge_cards(page.rows, own=True),
        "page": page,
        "wants_mail": user_of(request).wants_mail,
        "page_data": page_data(
            request, record_url=RECORD_URL, questions_url=QUESTIONS_URL, receipt_url=RECEIPT_URL
        ),
    }
    return render(request, "user/my_page.html", context)


@require_POST
@never_cache
@login_required
def mail_choice(request: HttpRequest) -> HttpResponse:
    """Let a user have notices by e-mail or none; anything but "no" means to have them."""
    choose_mail(user_of(request), request.POST.get("wants") != "no")
    return redirect("my_page")


@person_page
def challenge_new(request: HttpRequest) -> HttpResponse:
    """Show the form of a challenge for one certificate, or the certificates to choose from."""
    wanted = request.GET.get("certificate", "")
    certificate = published_certificate(wanted) if is_id(wanted) else None
    now = timezone.now()
    valid = published_certificates().filter(valid_from__lte=now, valid_until__gt=now)
    page = page_of(request, valid)
    context: dict[str, Any] = {
        "certificates": [certificate_card(found, 0) for found in page.rows],
        "page": page,
        "certificate": certificate_card(certificate, 0) if certificate else None,
        "study": study_view(certificate.study, None) if certificate else None,
        "typed_left": typed_challenges_left(user_of(request), certificate) if certificate else 0,
        "outcomes": outcomes_explained(),
        "why_not_typed": why_not_typed(user_of(request), certificate) if certificate else None,
        "page_data": page_data(
            request,
            challenges_url="/api/v1/challenges",
            detail_url="/me/challenges/{challenge_id}/",
            certificate=_sealing_data(certificate) if certificate else None,
        ),
    }
    return render(request, "user/challenge_new.html", context)


@person_page
def challenge_detail(request: HttpRequest, challenge_id: str) -> HttpResponse:
    """Show a person's case and, once answered, the signed answer she can show to others."""
    challenge = own_challenge(user_of(request), challenge_id)
    alarms = alarms_by_certificate([challenge.certificate_id])
    live = Live(f"/ws/challenges/{challenge.id}/", f"{request.path}?partial=1")
    receipt = _receipt(challenge)
    context = {
        "challenge": challenge_card(challenge, alarms.get(challenge.certificate_id, 0), own=True),
        "receipt": receipt,
        "receipt_json": json.dumps(receipt, indent=1) if receipt else "",
        "has_code": receipt is not None and fits_qr(_coded(receipt)),
        "live": live,
        "page_data": page_data(
            request,
            challenge_id=challenge.id,
            socket=live.socket,
            partial=live.partial,
            receipt=receipt,
        ),
    }
    return render_live(request, "user", "challenge_detail", context)


@person_page
def challenge_qr(request: HttpRequest, challenge_id: str) -> HttpResponse:
    """Return the signed answer of a person's case as a QR code that can be checked offline.

    NotThere before there is one, and for one that is too long for a code.
    """
    answer = _receipt(own_challenge(user_of(request), challenge_id))
    if answer is None or not fits_qr(_coded(answer)):
        raise NotThere
    return qr_response(_coded(answer))


def _coded(answer: dict[str, str]) -> str:
    return json.dumps(answer, separators=(",", ":"))


def _closed_sentence(state: str) -> str:
    if state == StudyState.ENDED:
        return _("This study is over. Both parties have deleted what they held of the answers.")
    if state == StudyState.WAITING:
        return _(
            "This study takes no answers while its closing waits. Answers given before count,"
            " unless the closing ends without a list of records: then both parties delete them."
        )
    if state in {StudyState.CLOSING, StudyState.CLOSED}:
        return _("This study takes no more answers. Answers given before count.")
    return _("This study has not started yet. Come back with your invitation later.")


def _sealing_data(certificate: Certificate) -> dict[str, Any]:
    configuration = certificate.study.configuration
    keys = {key.role.value: key for key in keys_of(certificate.study)}
    return {
        "id": certificate.id,
        "study_id": certificate.study_id,
        "text": certificate.text,
        "configuration_text": configuration.text,
        "configuration_digest": configuration.digest,
        "regulator_key": keys[Role.REGULATOR.value].statement,
    }


def _receipt(challenge: Challenge) -> dict[str, str] | None:
    """Return the signed message that answers a case, with the key it verifies under."""
    if not challenge.answer_body:
        return None
    configuration = engine_client.read_configuration(challenge.certificate.study.configuration.text)
    return {
        "role": Role.REGULATOR.value,
        "body": challenge.answer_body,
        "signature": challenge.answer_signature,
        "key": configuration.regulator.signing_key.hex(),
    }
