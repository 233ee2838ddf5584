"""The key a party's message is checked with: its study's, or the one the party publishes.

People, their browsers and the other party check a study's messages with the keys in its
configuration. So does the site, once both parties took the configuration over: what counts for
nobody else must not count here. A refusal proves nothing to anybody, and is heard under the key
that the party publishes as well: else a party whose key was replaced could not say why it refuses.
"""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client, engine_post
from blindjustice_web.engine.engine_post import Content, Message, Refusal
from blindjustice_web.lib.problems import Problem, Unusable
from blindjustice_web.studies.models import Configuration, StudyState
from blindjustice_web.studies.refusals import note_other_key, settle_other_key

OPENED = (
    StudyState.OPEN,
    StudyState.CLOSING,
    StudyState.WAITING,
    StudyState.CLOSED,
    StudyState.ENDED,
)
_STUDY_BY = {
    "study_id": "study",
    "job_id": "study__jobs",
    "challenge_id": "study__certificates__challenges",
}
"""How each id in a message leads to the configuration of its study."""


def verified_message(body: str, signature: str) -> Message[Content]:
    """Return a message that its party signed with a key that counts; Unusable otherwise.

    A message about a study whose configuration this version can't read is Unusable as well: what it
    answers is asked again until it can be checked.
    """
    claimed = engine_post.claimed_message(body)
    published = engine_client.party(Role(claimed.role.value)).signing_key
    opened = _opened_study(claimed)
    if opened is None:
        return engine_post.check_message(claimed, signature, published)
    with engine_client.unusable_input():
        configuration = engine_client.read_configuration(opened.text)
    study_key = configuration.party(claimed.role).signing_key
    try:
        message = engine_post.check_message(claimed, signature, study_key)
    except Problem:
        return _by_published_key(claimed, signature, published, opened.study_id)
    settle_other_key(message, opened.study_id)
    return message


def _by_published_key(
    claimed: Message[Content], signature: str, published: bytes, study_id: str
) -> Message[Content]:
    """Return a refusal that the published key signed; anything else is noted and Unusable."""
    message = engine_post.check_message(claimed, signature, published)
    if isinstance(message.content, Refusal):
        return message
    note_other_key(message, study_id)
    raise Unusable(
        "SIGNING_KEY_OTHER", _("This party signs with another key than the study names.")
    )


def _opened_study(message: Message[Content]) -> Configuration | None:
    """Return the configuration of the study a message is about; None before that opened."""
    through = message.content.study_through
    if through is None:
        return None
    name, found = through
    about = {_STUDY_BY[name]: found.hex(), "study__state__in": OPENED}
    return Configuration.objects.filter(**about).first()
