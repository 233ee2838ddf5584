"""An older copy of the site's database: studies and certificates come back from both parties."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import QuerySet
from django.test import Client

from blindjustice_web.accounts.models import Role
from blindjustice_web.audit.models import AuditEntry, EntryKind
from blindjustice_web.certificates.models import (
    CandidateModel,
    Certificate,
    CertificationResult,
    RevocationDelivery,
)
from blindjustice_web.conduct.message_keys import verified_message
from blindjustice_web.jobs.models import Job
from blindjustice_web.post.models import OutgoingTask
from blindjustice_web.studies.models import Configuration, HeldStudy, Proposal, Study
from mpc_engine.control.files.revocation import sign_revocation
from mpc_engine.control.studies.study_texts import Revocation, revocation_text
from tests.builders.sealing_keys import sealing_key
from tests.web.closing_stories import closing, pass_the_deadline, says_key
from tests.web.drafts import some_id
from tests.web.parties import Party
from tests.web.stories import World

pytestmark = pytest.mark.database

SECOND_KEY = 2
ONE = some_id("one")


@dataclass
class Held:
    """What both parties hold of one certified study, told from the site's own rows before."""

    study_id: str
    configuration: str
    cohort: dict[str, Any]
    certificate_id: str
    certificate: dict[str, Any]
    later_words: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, certificate: Certificate) -> Held:
        """Take down what parties hold of a study of the site."""
        study = certificate.study
        names = ("record_set", "n_records", "n_invalid", "n_disagreed")
        return cls(
            study.id,
            study.configuration.text,
            {name: getattr(study, name) for name in names},
            certificate.id,
            {
                "text": certificate.text,
                "modeler_signature": certificate.modeler_signature,
                "regulator_signature": certificate.regulator_signature,
                "revocation": {},
            },
        )

    def told_by(self, party: Party) -> None:
        """Let a party answer the order."""
        study = {"study_id": self.study_id}
        self.study_told_by(party)
        self.key_told_by(party)
        ids = {**study, "certificate_id": self.certificate_id}
        party.says("certificate_held", **ids, **self.certificate)
        party.says("resynchronised", studies=1, certificates=1)

    def study_told_by(self, party: Party) -> None:
        """Let a party tell what it holds of the study, and no more."""
        words = {"configuration": self.configuration, "cohort": self.cohort, **self.later_words}
        words.setdefault("closing", "CLOSED" if words["cohort"] else "OPEN")
        party.says("study_held", study_id=self.study_id, **words)

    def key_told_by(self, party: Party) -> None:
        """Let a party announce the key it made at closing."""
        digit = 8 if party.role.value == Role.MODELER else 9
        key = sealing_key(digit).hex()
        values = {"number": SECOND_KEY, "hpke_key": key, "key_id": str(digit) * 32}
        party.says("study_key", study_id=self.study_id, **values)


def resynchronise(
    world: World, held: Held, revocations: Mapping[str, dict[str, Any]] | None = None
) -> None:
    """Run the command and let the parties answer until nothing waits.

    ``revocations``: the certificate's, for each role whose party holds it.
    """
    call_command("resynchronise", stdout=StringIO())
    for _ in range(4):
        for task in OutgoingTask.objects.filter(kind="resynchronise").order_by("pk"):
            held.certificate["revocation"] = (revocations or {}).get(task.role, {})
            held.told_by(getattr(world.parties, task.role))
        for task in OutgoingTask.objects.filter(kind="make_study_key").order_by("pk"):
            held.key_told_by(getattr(world.parties, task.role))
    assert not OutgoingTask.objects.filter(kind__in=("resynchronise", "make_study_key")).exists()


def forget_certificates(study_id: str) -> None:
    """Set the site back to before the certification."""
    Certificate.objects.filter(study=study_id).delete()
    CertificationResult.objects.filter(model__study=study_id).delete()
    CandidateModel.objects.filter(study=study_id).delete()
    Job.objects.filter(study=study_id).delete()


def set_back_by_a_closing(held: Held) -> None:
    """Set the site back to when the study was open."""
    forget_certificates(held.study_id)
    Study.objects.filter(pk=held.study_id).update(
        state="OPEN", record_set="", n_records=0, closed_at=None
    )


def set_back_by_an_hour(held: Held) -> None:
    """Set the site back to before the study was drafted."""
    forget_certificates(held.study_id)
    Proposal.objects.filter(study=held.study_id).delete()
    Configuration.objects.filter(study=held.study_id)._raw_delete("default")
    Study.objects.filter(pk=held.study_id).delete()


def keys_of(study_id: str) -> set[str]:
    """Return the key ids that the site hands out."""
    return set(Study.objects.get(pk=study_id).keys.values_list("key_id", flat=True))


@pytest.mark.parametrize("set_back", [set_back_by_a_closing, set_back_by_an_hour])
def test_what_both_parties_hold_comes_back(world: World, set_back: Any) -> None:
    held = Held.of(world.certified())
    set_back(held)
    resynchronise(world, held)
    study = Study.objects.get(pk=held.study_id)
    assert (study.state, study.record_set, study.n_records) == (
        "CLOSED",
        held.cohort["record_set"],
        3,
    )
    assert study.configuration.text == held.configuration
    assert keys_of(study.id) == {"8" * 32, "9" * 32}
    certificate = Certificate.objects.get(pk=held.certificate_id)
    assert certificate.text == held.certificate["text"]
    assert certificate.result.verdict == "PASS"
    kinds = set(AuditEntry.objects.values_list("kind", flat=True))
    assert {EntryKind.STUDY_BROUGHT_BACK, EntryKind.CERTIFICATE_BROUGHT_BACK} <= kinds
    for who, path in (
        ("mo", f"/modeler/studies/{study.id}/"),
        ("rae", f"/regulator/studies/{study.id}/"),
        ("anonymous", f"/certificates/{certificate.id}/"),
    ):
        assert world.clients[who].get(path).status_code == 200, path
    assert world.challenge("uma", certificate)


def test_a_later_study_works_where_it_was_lost(world: World) -> None:
    held = Held.of(world.certified())
    set_back_by_an_hour(held)
    missing = f"/modeler/studies/{held.study_id}/"
    assert world.clients["mo"].get(missing).status_code == 404
    resynchronise(world, held)
    assert world.held_model(Study.objects.get(pk=held.study_id), "Another model")


def test_an_open_study_that_was_lost_takes_people_again(world: World) -> None:
    held = Held.of(world.certified())
    held.cohort = {}
    set_back_by_an_hour(held)
    for party in world.parties:
        held.study_told_by(party)
    study = Study.objects.get()
    assert study.state == "OPEN"
    answer = world.post("mo", f"/studies/{study.id}/invitations", world.invitations(study, [ONE]))
    assert answer.status_code == 202
    assert world.clients["anonymous"].get(f"/take-part/{study.id}/").status_code == 200


def test_nothing_is_brought_back_on_one_party_s_word(world: World) -> None:
    held = Held.of(world.certified())
    set_back_by_an_hour(held)
    for _ in range(2):
        held.told_by(world.parties.modeler)
    assert not Study.objects.exists()
    assert HeldStudy.objects.count() == 1
    other = json.loads(held.configuration) | {"title": "Another title"}
    held.later_words = {"configuration": json.dumps(other)}
    held.told_by(world.parties.regulator)
    assert not Study.objects.exists()


def test_parties_that_disagree_on_the_cohort_close_nothing(world: World) -> None:
    held = Held.of(world.certified())
    set_back_by_a_closing(held)
    held.told_by(world.parties.modeler)
    held.later_words = {"cohort": held.cohort | {"n_records": 4}}
    held.told_by(world.parties.regulator)
    assert Study.objects.get().state == "WAITING"
    assert not Certificate.objects.exists()


def test_a_certificate_that_one_party_did_not_sign_stays_out(world: World) -> None:
    held = Held.of(world.certified())
    forget_certificates(held.study_id)
    held.certificate["modeler_signature"] = held.certificate["regulator_signature"]
    resynchronise(world, held)
    assert not Certificate.objects.exists()


def test_a_certificate_comes_back_on_the_regulator_s_word_alone(world: World) -> None:
    """The modeler can hold both signatures of one that the regulator's party never stored."""
    held = Held.of(world.certified())
    forget_certificates(held.study_id)
    held.told_by(world.parties.modeler)
    assert not Certificate.objects.exists()
    assert not CandidateModel.objects.exists()
    held.told_by(world.parties.regulator)
    assert Certificate.objects.get().id == held.certificate_id


def test_what_the_site_has_is_left_alone(world: World) -> None:
    certificate = world.certified()
    held = Held.of(certificate)
    n_entries = AuditEntry.objects.exclude(kind=EntryKind.KEY_ANNOUNCED).count()
    resynchronise(world, held)
    assert Certificate.objects.get().result.job is not None
    assert AuditEntry.objects.exclude(kind=EntryKind.KEY_ANNOUNCED).count() == n_entries


@pytest.mark.parametrize("told", [tuple(Role), (Role.REGULATOR,), (Role.MODELER,)])
def test_a_revocation_comes_back_with_its_certificate(world: World, told: tuple[Role, ...]) -> None:
    """Both parties hold it; or the modeler's had not got it yet; or the regulator's lost it too."""
    certificate = world.certified()
    held = Held.of(certificate)
    about = Revocation(bytes.fromhex(certificate.id), "The sample was wrong.", datetime.now(UTC))
    text = revocation_text(about)
    signature = sign_revocation(text, world.parties.regulator.signing_key).hex()
    revocation = {"text": text, "statement_signature": signature}
    set_back_by_a_closing(held)
    resynchronise(world, held, dict.fromkeys(told, revocation))
    page = Client().get(f"/certificates/{held.certificate_id}/")
    assert page.status_code == 200
    assert "Revoked" in page.content.decode()
    delivery = RevocationDelivery.objects.get()
    assert (delivery.role, delivery.statement_signature) == ("regulator", signature)
    assert bool(delivery.body) == bool(delivery.signature) == (Role.REGULATOR in told)
    if delivery.body:
        assert verified_message(delivery.body, delivery.signature).role.value == Role.REGULATOR


@pytest.mark.parametrize("set_back", [set_back_by_a_closing, set_back_by_an_hour])
def test_a_study_that_both_parties_have_ended_ends_here_too(world: World, set_back: Any) -> None:
    """The site was restored from a copy of before the end; the parties renewed their keys at it."""
    held = Held.of(world.certified())
    set_back(held)
    held.cohort, held.later_words = {}, {"closing": "ENDED"}
    resynchronise(world, held)
    study = Study.objects.get(pk=held.study_id)
    assert (study.state, study.record_set) == ("ENDED", "")
    assert keys_of(study.id) == {"8" * 32, "9" * 32}


@pytest.mark.parametrize("standing", ["WAITS", "CLOSED", "ENDED"])
def test_a_closing_that_binds_one_party_alone_has_the_study_wait(
    world: World, standing: str
) -> None:
    held = Held.of(world.certified())
    set_back_by_a_closing(held)
    held.cohort = {}
    held.study_told_by(world.parties.regulator)
    assert Study.objects.get(pk=held.study_id).state == "OPEN"
    held.later_words = {"closing": standing}
    held.study_told_by(world.parties.modeler)
    study = Study.objects.get(pk=held.study_id)
    assert (study.state, study.waits) == ("WAITING", True)


def test_the_key_of_an_end_that_the_site_forgot_closes_the_study_for_answers(world: World) -> None:
    held = Held.of(world.certified())
    set_back_by_a_closing(held)
    held.key_told_by(world.parties.modeler)
    study = Study.objects.get(pk=held.study_id)
    assert (study.state, study.waits) == ("WAITING", True)
    assert "8" * 32 in keys_of(study.id)


def test_a_key_of_a_closing_the_site_forgot_makes_it_ask(world: World) -> None:
    held = Held.of(world.certified())
    set_back_by_a_closing(held)
    held.key_told_by(world.parties.modeler)
    assert {task.role for task in world.broker.of_kind("resynchronise")} == set(Role)
    held.key_told_by(world.parties.regulator)
    assert len(world.broker.of_kind("resynchronise")) == len(Role)


def test_a_word_that_this_version_cannot_read_is_none(world: World) -> None:
    """A row of before parties said how a closing stands."""
    held = Held.of(world.certified())
    set_back_by_a_closing(held)
    held.study_told_by(world.parties.regulator)
    stored = HeldStudy.objects.get(role=Role.REGULATOR)
    body = json.loads(stored.body)
    del body["closing"]
    HeldStudy.objects.filter(pk=stored.pk).update(body=json.dumps(body))
    held.study_told_by(world.parties.modeler)
    assert HeldStudy.objects.get().role == Role.MODELER
    assert Study.objects.get(pk=held.study_id).state == "OPEN"
    held.study_told_by(world.parties.regulator)
    assert Study.objects.get(pk=held.study_id).state == "CLOSED"


@pytest.mark.parametrize("told", ["standing", "key"])
def test_a_site_set_back_into_a_closing_does_not_open_the_study_again(
    world: World, told: str
) -> None:
    """The old job runs on here; a later one, which the site forgot, ended the study at a party."""
    job = closing(world)
    study = job.study
    if told == "key":
        says_key(world, study.id, "2")
    else:
        held = Held(study.id, study.configuration.text, {}, "", {})
        held.study_told_by(world.parties.regulator)
        held.later_words = {"closing": "ENDED"}
        held.study_told_by(world.parties.modeler)
    study.refresh_from_db()
    assert (study.state, study.waits) == ("CLOSING", True)
    for _attempt in range(3):
        pass_the_deadline(job)
    study.refresh_from_db()
    job.refresh_from_db()
    assert (job.state, study.state) == ("FAILED", "WAITING")


def test_the_first_key_that_is_told_again_binds_nobody(world: World) -> None:
    job = closing(world)
    says_key(world, job.study_id, "1")
    assert not Study.objects.get(pk=job.study_id).waits


def test_of_two_words_at_once_the_second_is_looked_at_with_the_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each would see its own alone: so the study is locked before either is kept."""
    held = Held.of(world.certified())
    locked: list[tuple[type, int]] = []
    honest = QuerySet.select_for_update

    def select_for_update(self: QuerySet[Any], *args: Any, **options: Any) -> QuerySet[Any]:
        locked.append((self.model, HeldStudy.objects.count()))
        return honest(self, *args, **options)

    monkeypatch.setattr(QuerySet, "select_for_update", select_for_update)
    held.study_told_by(world.parties.modeler)
    assert HeldStudy.objects.count() == 1
    assert (Study, 0) in locked
