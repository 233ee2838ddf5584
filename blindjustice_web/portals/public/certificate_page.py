"""The page of a certificate: facts in plain words, the chart, the technical part, its cases."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.certificates.access import verified_certificate
from blindjustice_web.certificates.acknowledgements import (
    acknowledgements_of,
    newest_list,
    statement_signature_of,
)
from blindjustice_web.certificates.models import Certificate, Revocation
from blindjustice_web.certificates.validity import revocation_of
from blindjustice_web.challenges.selectors import alarms_in
from blindjustice_web.engine import engine_client, engine_revocations
from blindjustice_web.lib.labels import CriterionName, VerificationResult, title_of
from blindjustice_web.lib.moments import moment_text
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.paging import page_of
from blindjustice_web.lib.problems import NotThere, Problem
from blindjustice_web.portals.pages import page_data
from blindjustice_web.presentation.cards.certificates import certificate_card, results_of
from blindjustice_web.presentation.cards.groups import groups_told
from blindjustice_web.presentation.cards.questions import ledger_view
from blindjustice_web.presentation.cards.studies import (
    TermsView,
    terms_of,
)
from blindjustice_web.presentation.figures.challenge_outcomes import outcomes_by_model
from blindjustice_web.presentation.figures.chart import verdict_charts
from blindjustice_web.presentation.figures.rates import rates_by_group
from blindjustice_web.presentation.reports.catalogue import report_names
from blindjustice_web.presentation.reports.opened import why_not_offered
from blindjustice_web.presentation.words.accuracy import accuracy_sentence, holdout_sentence
from blindjustice_web.studies.access import study_for
from blindjustice_web.studies.services import configuration_of


@dataclass(frozen=True)
class Fact:
    """A line of the certificate."""

    label: str
    value: str


@dataclass(frozen=True)
class SignatureView:
    """Whose signature was checked, under which key, and that key's fingerprint."""

    role: Named
    key: str
    fingerprint: str
    verified: bool


@dataclass(frozen=True)
class AlarmView:
    """A case that counts against the certificate."""

    outcome: Named
    at: datetime | None


def certificate_page(request: HttpRequest, certificate: Certificate) -> dict[str, Any]:
    """Return the context of a certificate's page; one that no longer verifies isn't shown."""
    checked = verified_certificate(certificate)
    raised = alarms_in(certificate.challenges.all()).order_by("-answered_at", "pk")
    alarm_page = page_of(request, raised, name="alarms")
    terms = terms_of(configuration_of(certificate.study))
    is_member = _takes_part(request, certificate)
    charts = verdict_charts(
        list(results_of(certificate.study)) if is_member else [certificate.result],
        terms.policy.criteria,
        certificate.model_id,
    )
    headings, groups = groups_told(certificate.result)
    why_no_report = why_not_offered(certificate.result, certificate.result.groups)
    return {
        "certificate": certificate_card(certificate, alarm_page.n_rows),
        **_revocation(certificate, checked),
        "facts": [*_facts(certificate, terms), *(_gap(certificate) if is_member else [])],
        "technical": _technical(certificate, checked),
        "text": certificate.text,
        "modeler_signature": certificate.modeler_signature,
        "regulator_signature": certificate.regulator_signature,
        "signatures": [
            SignatureView(Named.of(role), key.hex(), engine_client.fingerprint(key), verified=True)
            for role, key in _keys(checked).items()
        ],
        "policy": terms.policy,
        "group_counts": headings,
        "groups": groups,
        "rates": rates_by_group(certificate.result),
        "reports": [] if why_no_report else report_names(),
        "why_no_report": why_no_report,
        "charts": charts,
        "is_member": is_member,
        "n_other_questions": _n_other_questions(certificate),
        "alarms": [
            AlarmView(Named.of(VerificationResult(case.outcome)), case.answered_at)
            for case in alarm_page.rows
        ],
        "alarm_page": alarm_page,
        "cases": outcomes_by_model([certificate]),
        "checks_command": _command(checked),
        "page_data": page_data(request),
    }


def _facts(certificate: Certificate, terms: TermsView) -> list[Fact]:
    study = certificate.study
    questions = ", ".join(attribute.title for attribute in terms.attributes)
    return [
        Fact(_("Question"), study.purpose or study.title),
        Fact(_("Model of"), study.modeler.name),
        Fact(_("Checked by"), study.regulator.name),
        Fact(_("Groups compared by"), questions),
        Fact(_("Answers counted"), str(study.n_records)),
        Fact(_("Answers left out"), str(study.n_invalid + study.n_disagreed)),
        Fact(_("Favourable decision"), terms.label.favourable),
        Fact(_("Valid from"), moment_text(certificate.valid_from)),
        Fact(_("Valid until"), moment_text(certificate.valid_until)),
    ]


def _takes_part(request: HttpRequest, certificate: Certificate) -> bool:
    """Return whether the viewer is of one of the two organisations, which know every verdict."""
    try:
        study_for(request.user, certificate.study_id)
    except NotThere:
        return False
    return True


def _n_other_questions(certificate: Certificate) -> int | None:
    """Return how many questions were asked of the same people beside the one that certified.

    None until the parties have told of that one.
    """
    questions = ledger_view(certificate.study).questions
    asked = [(question.model_id, question.outcome.value) for question in questions]
    certifying = (certificate.model_id, certificate.result.verdict)
    return len(asked) - asked.count(certifying) if certifying in asked else None


def _gap(certificate: Certificate) -> list[Fact]:
    """Return what the two organisations know of accuracy, in training and held out."""
    accuracy = accuracy_sentence(certificate.model)
    if not accuracy:
        return []
    return [
        Fact(_("Accuracy in training"), accuracy),
        Fact(_("Accuracy on held-out people"), holdout_sentence(certificate.result)),
    ]


def _revocation(certificate: Certificate, checked: engine_client.Certificate) -> dict[str, Any]:
    """Return the revocation with what was signed, by whom, and which party knows of it."""
    row = revocation_of(certificate)
    newest = newest_list()
    context = {"revocation": row, "revocation_list": newest, "revocation_command": ""}
    if row is None:
        if newest is not None:
            list_option = "--list revocation-list.json"
            context["revocation_command"] = f"{_command(checked)} {list_option}"
        return context
    return {
        **context,
        "revocation_checks": _approver_signed(row),
        "acknowledgements": acknowledgements_of(row),
        "statement_signature": statement_signature_of(row),
        "statement_key": checked.regulator_key.hex(),
        "statement_label": engine_revocations.signed_label(),
        "statement_digest": engine_client.text_digest(row.text),
        "revocation_command": f"{_command(checked)} --revocation revocation-{row.pk}.json",
    }


def _approver_signed(row: Revocation) -> bool:
    """Return whether an approver whom the regulator publishes now signed a revocation."""
    try:
        engine_client.check_approval(
            "revocation", row.text, Role.REGULATOR, row.key_id, row.signature
        )
    except Problem:
        return False
    return True


def _technical(certificate: Certificate, checked: engine_client.Certificate) -> list[Fact]:
    return [
        Fact(_("Certificate"), certificate.id),
        Fact(_("Study"), certificate.study_id),
        Fact(_("Digest of the configuration"), checked.configuration.hex()),
        Fact(_("Digest of the list of records"), checked.record_set.hex()),
        Fact(_("Model"), checked.model_id.hex()),
        Fact(_("Signature of the model"), checked.model_signature.hex()),
        *(
            Fact(_("Security: %(criterion)s") % {"criterion": name}, row.model)
            for row in checked.security_models
            if (name := title_of(CriterionName(row.criterion)))
        ),
        Fact(_("Protocol"), checked.protocol_version),
        Fact(_("Base oblivious transfers"), checked.base_ots),
        Fact(_("Digest of the program"), checked.code_digest.hex()),
    ]


def _command(checked: engine_client.Certificate) -> str:
    """Return the command that checks the downloaded file, on a machine that holds no party."""
    keys = " ".join(
        f"--{role.value}-key {engine_client.fingerprint(key)}"
        for role, key in _keys(checked).items()
    )
    file = f"certificate-{checked.certificate_id.hex()}.json"
    return f"python -m mpc_engine.party check-certificate {file} {keys}"


def _keys(checked: engine_client.Certificate) -> dict[Role, bytes]:
    return {Role.MODELER: checked.modeler_key, Role.REGULATOR: checked.regulator_key}
