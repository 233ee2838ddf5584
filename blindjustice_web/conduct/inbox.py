"""Messages of the parties: verified, taken once, and handed to whatever hears them."""

from __future__ import annotations

import logging

from django.db import transaction

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.acting import acting, party_of
from blindjustice_web.certificates import held_certificates, revocations, trainings
from blindjustice_web.certificates import services as certificate_services
from blindjustice_web.challenges import services as challenge_services
from blindjustice_web.conduct import outcomes
from blindjustice_web.conduct.message_keys import verified_message
from blindjustice_web.engine.engine_post import Content, Message, OrderRefused, about_parties
from blindjustice_web.enrolment import data_uploads
from blindjustice_web.enrolment import services as enrolment_services
from blindjustice_web.jobs import cancellation, diagnostics, sequencer
from blindjustice_web.lib.problems import NotThere, Problem
from blindjustice_web.post.hearing import HANDLERS, hears
from blindjustice_web.post.models import ReceivedMessage
from blindjustice_web.post.outbox import note_answer
from blindjustice_web.studies import held_studies, questions, refusals
from blindjustice_web.studies import services as study_services

logger = logging.getLogger(__name__)

HEARING = (
    cancellation,
    certificate_services,
    challenge_services,
    data_uploads,
    diagnostics,
    enrolment_services,
    held_certificates,
    held_studies,
    outcomes,
    questions,
    refusals,
    revocations,
    sequencer,
    study_services,
    trainings,
)
"""The modules in which something hears a message, so that all are loaded with this one."""


def receive_message(body: str, signature: str) -> bool:
    """Act on a party's message; return False if it was refused or came before."""
    try:
        message = verified_message(body, signature)
    except Problem as problem:
        logger.warning("A message was refused: %s", problem.code)
        return False
    content = message.content
    if type(content) not in HANDLERS or message.role not in content.said_by:
        logger.warning("%s may not say %s", message.role.value, message.kind)
        return False
    try:
        return _act_once(message)
    except NotThere:
        note_answer(message)
        logger.warning("%s from %s names nothing known", message.kind, message.role.value)
        return False


@transaction.atomic
def _act_once(message: Message[Content]) -> bool:
    note_answer(message)
    if not message.content.is_repeatable:
        key = f"{message.role.value[0]}{message.message_id}"
        _, fresh = ReceivedMessage.objects.get_or_create(
            message_id=key, defaults={"kind": message.kind}
        )
        if not fresh:
            return False
    with acting(lambda: party_of(Role(message.role.value))):
        HANDLERS[type(message.content)](message)
    return True


@hears(about_parties.Resynchronised)
def note_resynchronised(message: Message[about_parties.Resynchronised]) -> None:
    """Do nothing more: what was told again came before, in messages of its own."""


@hears(OrderRefused)
def note_order_refused(message: Message[OrderRefused]) -> None:
    """Log an order that a party could not read, or whose kind has no refusal of its own."""
    told = message.content
    level = logging.INFO if told.code == sequencer.REPEATED else logging.ERROR
    logger.log(level, "%s refused an order (%s): %s", message.role.value, told.order, told.code)
