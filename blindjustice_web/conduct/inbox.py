"""Messages of the parties: verified, taken once, and handed to the service they concern."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.acting import acting, party_of
from blindjustice_web.certificates.held_certificates import note_certificate_held
from blindjustice_web.certificates.revocations import (
    note_certificate_revoked,
    note_revocation_list,
    note_revocation_refused,
    note_revocation_signed,
)
from blindjustice_web.certificates.services import note_model_answer, note_model_deployed
from blindjustice_web.certificates.trainings import note_sealed_model, note_trained_model
from blindjustice_web.challenges.services import note_challenge_answer
from blindjustice_web.conduct.message_keys import verified_message
from blindjustice_web.conduct.outcomes import settle
from blindjustice_web.engine.engine_client import Message
from blindjustice_web.enrolment.data_uploads import note_data_answer
from blindjustice_web.enrolment.services import note_invitations_accepted, take_answer
from blindjustice_web.jobs import sequencer
from blindjustice_web.jobs.cancellation import note_cancel_refused, note_cancelled
from blindjustice_web.jobs.diagnostics import begin_check, note_line_checked
from blindjustice_web.lib.problems import NotThere, Problem
from blindjustice_web.post.models import PartyStatus, ReceivedMessage
from blindjustice_web.post.outbox import note_answer
from blindjustice_web.studies.held_studies import note_study_held
from blindjustice_web.studies.questions import note_question
from blindjustice_web.studies.refusals import note_configuration_refused, note_refusal
from blindjustice_web.studies.services import note_configuration_accepted, receive_key

logger = logging.getLogger(__name__)

Handler = Callable[[Message], None]


def receive_message(body: str, signature: str) -> bool:
    """Act on a party's message; return False if it was refused or came before."""
    try:
        message = verified_message(body, signature)
    except Problem as problem:
        logger.warning("A message was refused: %s", problem.code)
        return False
    handler = _HANDLERS.get(message.kind)
    if handler is None or not _may_say(message):
        logger.warning("%s may not say %s", message.role.value, message.kind)
        return False
    try:
        return _act_once(message, handler)
    except NotThere:
        note_answer(message)
        logger.warning("%s from %s names nothing known", message.kind, message.role.value)
        return False


REPEATABLE = {"receipt", "submission_refused", "job_progress"}
"""Kinds that change nothing when they come again: they needn't be remembered."""


@transaction.atomic
def _act_once(message: Message, handler: Handler) -> bool:
    note_answer(message)
    if message.kind not in REPEATABLE:
        key = f"{message.role.value[0]}{message.message_id}"
        _, fresh = ReceivedMessage.objects.get_or_create(
            message_id=key, defaults={"kind": message.kind}
        )
        if not fresh:
            return False
    with acting(lambda: party_of(Role(message.role.value))):
        handler(message)
    return True


def _refused_model(message: Message) -> None:
    note_model_answer(message)
    note_refusal(message, "model", message.text("model_id"))


def _refused_data(message: Message) -> None:
    note_data_answer(message)
    note_refusal(message, "data", message.text("upload_id"))


def _job_report(message: Message) -> None:
    settle(sequencer.take_report(message))


def _status(message: Message) -> None:
    """Keep what a party says about itself; it does when it starts, so let both meet."""
    PartyStatus.objects.update_or_create(role=message.role.value, defaults={"body": message.body})
    begin_check()


def _order_refused(message: Message) -> None:
    code = message.text("code")
    level = logging.INFO if code == sequencer.REPEATED else logging.ERROR
    logger.log(
        level, "%s refused an order (%s): %s", message.role.value, message.text("order"), code
    )


def _refusal_about(about: str) -> Handler:
    return lambda message: note_refusal(message, about)


ONLY_FROM = {
    "model_accepted": Role.MODELER,
    "model_refused": Role.MODELER,
    "model_sealed": Role.MODELER,
    "model_trained": Role.MODELER,
    "model_deployed": Role.MODELER,
    "deployment_refused": Role.MODELER,
    "revocation_signed": Role.REGULATOR,
    "certificate_revoked": Role.MODELER,
    "revocation_list": Role.REGULATOR,
    "data_accepted": Role.REGULATOR,
    "data_refused": Role.REGULATOR,
    "challenge_accepted": Role.REGULATOR,
    "challenge_refused": Role.REGULATOR,
}

_HANDLERS: dict[str, Handler] = {
    "study_key": receive_key,
    "study_key_refused": _refusal_about("key"),
    "configuration_accepted": note_configuration_accepted,
    "configuration_refused": note_configuration_refused,
    "invitations_accepted": note_invitations_accepted,
    "invitations_refused": _refusal_about("invitations"),
    "receipt": take_answer,
    "submission_refused": take_answer,
    "model_accepted": note_model_answer,
    "model_refused": _refused_model,
    "model_sealed": note_sealed_model,
    "model_trained": note_trained_model,
    "model_deployed": note_model_deployed,
    "deployment_refused": _refusal_about("deployment"),
    "revocation_signed": note_revocation_signed,
    "certificate_revoked": note_certificate_revoked,
    "revocation_refused": note_revocation_refused,
    "revocation_list": note_revocation_list,
    "data_accepted": note_data_answer,
    "data_refused": _refused_data,
    "challenge_accepted": note_challenge_answer,
    "challenge_refused": note_challenge_answer,
    "job_progress": sequencer.note_progress,
    "job_result": _job_report,
    "job_failed": _job_report,
    "job_cancelled": note_cancelled,
    "cancel_refused": note_cancel_refused,
    "question": note_question,
    "study_held": note_study_held,
    "certificate_held": note_certificate_held,
    "resynchronised": lambda _: None,
    "line_checked": note_line_checked,
    "order_refused": _order_refused,
    "status": _status,
}


def _may_say(message: Message) -> bool:
    """Return whether this kind of message may come from this party."""
    only = ONLY_FROM.get(message.kind)
    return only is None or only.value == message.role.value
