"""A study as anyone can fetch it, and the parties' signed words about it."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from mpc_engine.client.http import Session
from mpc_engine.control.files.descriptor import PartyDescriptor, parse_descriptor
from mpc_engine.control.post.declarations import Content
from mpc_engine.control.post.exchanges.about_studies import StudyKey
from mpc_engine.control.post.messages import Message, message_of, read_message
from mpc_engine.control.studies.configuration import Configuration, parse_configuration
from mpc_engine.control.texts.canonical import canonical_text
from mpc_engine.errors import DecodeError, InvalidSignatureError, PeerTimeoutError, UsageError
from mpc_engine.roles import Role
from mpc_engine.sharing.layout import EnvelopeLayout

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0

Found = TypeVar("Found")
Told = TypeVar("Told", bound=Content)


@dataclass(frozen=True)
class PublicStudy:
    """A study's configuration with what follows from it.

    ``announcements``: the parties' signed words about their current sealing keys, verified.
    """

    configuration: Configuration
    announcements: tuple[Message[StudyKey], ...] = ()

    @property
    def path(self) -> str:
        """The study's address in the API."""
        return f"/api/v1/studies/{self.configuration.study_id.hex()}"

    @cached_property
    def layout(self) -> EnvelopeLayout:
        """The shape of the study's envelopes."""
        study = self.configuration
        return EnvelopeLayout(
            study_id=study.study_id,
            config_digest=study.digest,
            category_counts=study.category_counts,
            data_holder=study.data_holder,
            data_by_file=study.data_source == "file",
            feature_ranges=study.feature_ranges,
        )

    @property
    def answer_keys(self) -> dict[Role, tuple[bytes, bytes]]:
        """Each party's key id and public key for people's answers, destroyed at closing."""
        parties = {role: self.configuration.party(role) for role in Role}
        return {role: (party.key_id, party.hpke_key) for role, party in parties.items()}

    @property
    def sealing_keys(self) -> dict[Role, tuple[bytes, bytes]]:
        """Each party's current key id and public key, for models, data and challenges."""
        return self.answer_keys | {
            message.role: (message.content.key_id, message.content.hpke_key)
            for message in self.announcements
        }

    @property
    def keys_are_renewed(self) -> bool:
        """Whether both parties announced other keys than those that closing destroys."""
        return all(self.sealing_keys[role] != self.answer_keys[role] for role in Role)

    @property
    def signing_keys(self) -> dict[Role, bytes]:
        """Each party's public signing key."""
        return {role: self.configuration.party(role).signing_key for role in Role}

    def verified_as(self, content: type[Told], statement: Mapping[str, Any]) -> Message[Told]:
        """Return a party's signed message of one kind if its signature verifies.

        Raises:
            InvalidSignatureError: as :meth:`verified`, or a message of another kind.
        """
        message = message_of(self.verified(statement), content)
        if message is None:
            raise InvalidSignatureError("The site hands out a message of another kind.")
        return message

    def verified(self, statement: Mapping[str, Any]) -> Message[Content]:
        """Return a party's signed message if its signature verifies.

        ``statement`` is an object of the API with ``role``, ``body`` and ``signature``.

        Raises:
            InvalidSignatureError: not signed by the party it names; the site's or relay's fault.
        """
        try:
            signature = bytes.fromhex(str(statement["signature"]))
            message = read_message(str(statement["body"]), signature, self.signing_keys)
        except (KeyError, ValueError, UsageError, DecodeError) as error:
            raise InvalidSignatureError("The site's answer holds no signed message.") from error
        if message.role.value != statement.get("role"):
            raise InvalidSignatureError("The site names another party than the signed message.")
        return message


def fetch_study(
    session: Session, study_id: bytes, expected_digest: bytes | None = None
) -> PublicStudy:
    """Fetch a study's configuration and check that it is the one asked for.

    Raises:
        UsageError: the site gave another study's configuration, or not the expected one.
    """
    answer = session.get_json(f"/api/v1/studies/{study_id.hex()}/configuration")
    configuration = parse_configuration(answer["text"])
    digest = expected_digest or bytes.fromhex(str(answer["digest"]))
    if configuration.study_id != study_id or not hmac.compare_digest(configuration.digest, digest):
        raise UsageError(
            "The site gave the configuration of another study.", code="CONFIGURATION_OTHER"
        )
    study = PublicStudy(configuration)
    announcements = tuple(study.verified_as(StudyKey, statement) for statement in answer["keys"])
    for message in announcements:
        if message.content.study_id != study_id:
            raise InvalidSignatureError("The site hands out a key of another study.")
    return replace(study, announcements=announcements)


def wait_for_renewed_keys(
    session: Session, study: PublicStudy, *, timeout_s: float = 60.0
) -> PublicStudy:
    """Return a closed study with the keys that both parties announced after closing."""

    def renewed() -> PublicStudy | None:
        configuration = study.configuration
        fresh = fetch_study(session, configuration.study_id, configuration.digest)
        return fresh if fresh.keys_are_renewed else None

    return wait_until(renewed, timeout_s=timeout_s, what="the parties' new keys")


def fetch_parties(session: Session) -> dict[Role, PartyDescriptor]:
    """Fetch both parties' public descriptors.

    Raises:
        UsageError: a descriptor can't be read, or one of the two is missing.
    """
    listed = session.get_json("/api/v1/parties")
    found = [parse_descriptor(canonical_text(value)) for value in listed]
    parties = {descriptor.role: descriptor for descriptor in found}
    if len(parties) != len(Role):
        raise UsageError("The site doesn't name both parties.", code="PARTY_MISSING")
    return parties


def wait_until(look: Callable[[], Found | None], *, timeout_s: float, what: str) -> Found:
    """Return the first answer of ``look`` that isn't None, asking again with growing pauses.

    Raises:
        PeerTimeoutError: nothing came within ``timeout_s``; the sentence names ``what``.
    """
    end = time.monotonic() + timeout_s
    pause_s = FIRST_PAUSE_S
    while (found := look()) is None:
        if time.monotonic() + pause_s > end:
            raise PeerTimeoutError(f"Waited {timeout_s:.0f} s in vain for {what}.")
        time.sleep(pause_s)
        pause_s = min(pause_s * 1.5, LONGEST_PAUSE_S)
    return found
