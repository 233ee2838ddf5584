"""The key a party's message is checked with: its study's, or the one the party publishes.

People, their browsers and the other party check a study's messages with the keys in its
configuration. So does the site, once both parties took the configuration over: what counts for
nobody else must not count here. A refusal proves nothing to anybody, and is heard under the key
that the party publishes as well: else a party whose key was replaced could not say why it refuses.
"""

from __future__ import annotations

import logging

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs import engine_client, engine_messages
from blindjustice_web.jobs.engine_client import Message
from blindjustice_web.lib.problems import Problem
from blindjustice_web.studies.models import Configuration, StudyState

logger = logging.getLogger(__name__)

OPENED = (StudyState.OPEN, StudyState.CLOSING, StudyState.CLOSED)
REFUSING = ("_refused", "_failed")
_STUDY_BY = {
    "study_id": "study",
    "job_id": "study__jobs",
    "challenge_id": "study__certificates__challenges",
}
"""How each id in a message leads to the configuration of its study."""


def verified_message(body: str, signature: str) -> Message:
    """Return a message that its party signed with a key that counts; Unusable otherwise."""
    claimed = engine_messages.claimed_message(body)
    role = Role(claimed.role.value)
    study_key = _study_key(claimed)
    if study_key is None:
        return engine_messages.check_message(body, signature, _published_key(role))
    try:
        return engine_messages.check_message(body, signature, study_key)
    except Problem:
        published = _published_key(role)
        if published == study_key:
            raise
        message = engine_messages.check_message(body, signature, published)
    if not message.kind.endswith(REFUSING):
        logger.error("%s signs %s with another key than its study names", role, message.kind)
        engine_messages.check_message(body, signature, study_key)
    return message


def _published_key(role: Role) -> bytes:
    return engine_client.party(role).signing_key


def _study_key(message: Message) -> bytes | None:
    """Return the key that the study of a message names for its party; None before it opened."""
    for name, path in _STUDY_BY.items():
        if name in message.values:
            about = {path: message.text(name), "study__state__in": OPENED}
            text = Configuration.objects.filter(**about).values_list("text", flat=True).first()
            if text is None:
                return None
            return engine_client.read_configuration(text).party(message.role).signing_key
    return None
