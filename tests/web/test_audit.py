"""The audit log: everything done has its entry, entries stay, and each reader sees her own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client

from blindjustice_web.audit import chain
from blindjustice_web.audit.acting import SITE, actor_now
from blindjustice_web.audit.models import AuditEntry, AuditLink, EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.jobs.models import Job
from blindjustice_web.lib.append_only import ImmutableError, guard, unguard
from blindjustice_web.post.party_keys import note_published_keys
from blindjustice_web.studies.models import Configuration
from tests.web.audit_stories import PAGES, kinds_of, read_entries
from tests.web.drafts import draft
from tests.web.parties import Party
from tests.web.stories import World

pytestmark = pytest.mark.database

K = EntryKind


def test_everything_done_in_a_study_has_its_entry(world: World) -> None:
    certificate = world.certified()
    assert kinds_of(study_id=certificate.study_id) == [
        K.STUDY_DRAFTED,
        K.STUDY_SUBMITTED,
        K.KEY_ANNOUNCED,
        K.KEY_ANNOUNCED,
        K.PROPOSED,
        K.APPROVED,
        K.APPROVED,
        K.STUDY_OPENED,
        K.PEOPLE_INVITED,
        K.PROPOSED,
        K.APPROVED,
        K.APPROVED,
        K.STUDY_CLOSING,
        K.JOB_QUEUED,
        K.JOB_STARTED,
        K.JOB_ENDED,
        K.STUDY_CLOSED,
        K.MODEL_HANDED_IN,
        K.PROPOSED,
        K.APPROVED,
        K.APPROVED,
        K.JOB_QUEUED,
        K.JOB_STARTED,
        K.JOB_ENDED,
        K.CERTIFICATE_ISSUED,
    ]


def test_an_entry_says_who_did_it(world: World) -> None:
    study, proposal = world.proposed()
    world.approve_both(proposal)
    world.post("rae", f"/proposals/{proposal.id}/decline", {"reason": "Too late."})
    entries = {
        (entry.kind, entry.actor, entry.member)
        for entry in AuditEntry.objects.filter(study_id=study.id)
    }
    mo, rae = world.users["mo"].pk, world.users["rae"].pk
    assert {
        (K.STUDY_DRAFTED, "modeler", mo),
        (K.KEY_ANNOUNCED, "modeler_party", None),
        (K.KEY_ANNOUNCED, "regulator_party", None),
        (K.APPROVED, "modeler", mo),
        (K.APPROVED, "regulator", rae),
    } <= entries
    assert K.DECLINED not in {kind for kind, _actor, _member in entries}
    assert actor_now() is SITE


def test_a_decline_is_written_down_with_its_reason(world: World) -> None:
    study = world.submitted()
    path = f"/proposals/{study.proposals.get().id}/decline"
    assert world.post("rae", path, {"reason": "Ask three groups."}).status_code == 200
    entry = AuditEntry.objects.get(kind=K.DECLINED)
    assert (entry.actor, entry.detail) == ("regulator", "configuration: Ask three groups.")


def test_a_change_that_fails_leaves_no_entry(world: World) -> None:
    study = world.submitted()
    before = kinds_of()
    assert world.post("mo", f"/studies/{study.id}/submit", {}).status_code == 409
    assert world.post("mo", "/studies", draft(policy={})).status_code == 422
    with pytest.raises(RuntimeError), transaction.atomic():
        record(K.STUDY_CHANGED, study=study)
        raise RuntimeError("the change fails after its entry")
    assert kinds_of() == before


@pytest.mark.django_db(transaction=True)
def test_an_entry_without_a_transaction_is_a_defect() -> None:
    with pytest.raises(transaction.TransactionManagementError):
        record(K.LOGGED_IN)
    assert not AuditEntry.objects.exists()


def test_a_message_that_comes_again_is_written_down_once(world: World) -> None:
    study = world.submitted()
    world.approve_both(study.proposals.get())
    for _ in range(2):
        world.parties.both_say(
            "configuration_accepted",
            study_id=study.id,
            attempt_id=Configuration.objects.get(study=study).attempt_id,
            configuration=study.configuration.digest,
        )
    assert kinds_of(study_id=study.id).count(K.STUDY_OPENED) == 1


def test_jobs_are_written_down_from_the_line_to_the_end(world: World) -> None:
    study = world.closed()
    job = world.certification_job(study, world.held_model(study))
    assert world.post("rae", f"/jobs/{job.id}/cancel", {}).status_code == 200
    world.parties.modeler.says("job_cancelled", job_id=job.id, by="regulator")
    entries = list(AuditEntry.objects.filter(subject=job.id).order_by("pk"))
    assert [(entry.kind, entry.actor) for entry in entries] == [
        (K.JOB_QUEUED, "regulator"),
        (K.JOB_STARTED, "regulator"),
        (K.JOB_STOP_ASKED, "regulator"),
        (K.JOB_ENDED, "modeler_party"),
    ]
    assert entries[-1].detail == "certification, attempt 1, CANCELLED"


def test_cases_are_the_regulator_s_and_name_nobody(world: World) -> None:
    certificate = world.certified()
    case = world.challenge("uma", certificate)
    world.challenge_read(certificate, case)
    job = Job.objects.get(kind="verification")
    world.verification_result(job, {case: "CONFIRMED"})
    mine = [entry for entry in read_entries(world, "rae") if entry["subject"] == case]
    assert [(entry["kind"], entry["actor"]) for entry in mine] == [
        (K.CHALLENGE_ANSWERED, "regulator_party"),
        (K.CHALLENGE_OPENED, "person"),
    ]
    assert {entry["who"] for entry in mine} == {""}
    assert not [entry for entry in read_entries(world, "mo") if entry["subject"] == case]
    for entry in AuditEntry.objects.exclude(actor__in=("modeler", "regulator")):
        assert entry.member is None
        assert entry.organisation is None


def test_nobody_s_answer_or_address_is_in_the_log(world: World) -> None:
    study, records = world.invited()
    sent = world.answered(study, records[0])
    world.challenge("uma", world.certified())
    text = json.dumps(list(AuditEntry.objects.values()), default=str)
    for secret in ("@example.org", records[0], sent["submission_id"], sent["envelope_modeler"]):
        assert secret not in text


def test_each_reads_her_own(world: World) -> None:
    study = world.submitted()
    note_published_keys()
    for who in ("mo", "rae"):
        assert study.id in {entry["study_id"] for entry in read_entries(world, who)}
    assert {entry["kind"] for entry in read_entries(world, "mia")} == {
        K.LOGGED_IN,
        K.PARTY_KEYS_CHANGED,
    }
    for who in ("uma", "umar"):
        assert world.get(who, "/audit").status_code == 404
    by_mo = next(e for e in read_entries(world, "mo") if e["kind"] == K.STUDY_DRAFTED)
    by_rae = next(e for e in read_entries(world, "rae") if e["kind"] == K.STUDY_DRAFTED)
    assert by_mo["who"] == "Meridian Bank, mo@example.org"
    assert by_rae["who"] == f"Meridian Bank, account {world.users['mo'].pk}"


def test_another_authority_sees_nothing(world: World) -> None:
    world.submitted()
    from blindjustice_web.accounts.models import Membership, Organisation, Role, User

    other = Organisation.objects.create(name="Other Authority", role=Role.REGULATOR)
    user = User.objects.create_user("rob@example.org", "rob's password")
    Membership.objects.create(user=user, organisation=other)
    client = Client()
    client.force_login(user)
    kinds = [entry["kind"] for entry in client.get("/api/v1/audit").json()]
    assert kinds == [K.LOGGED_IN]


def test_log_ins_of_members_are_written_down_and_people_s_are_not(world: World) -> None:
    before = AuditEntry.objects.count()
    for email, password in (
        ("uma@example.org", "uma's password"),
        ("rae@example.org", "rae's password"),
        ("rae@example.org", "wrong"),
        ("nobody@example.org", "wrong"),
    ):
        Client().post("/accounts/login/", {"login": email, "password": password})
    found = list(AuditEntry.objects.order_by("pk")[before:])
    assert [(entry.kind, entry.actor, entry.member) for entry in found] == [
        (K.LOGGED_IN, "regulator", world.users["rae"].pk),
        (K.LOG_IN_FAILED, "regulator", world.users["rae"].pk),
        (K.LOG_IN_FAILED, "visitor", None),
    ]


def test_a_lock_is_written_down_once(world: World, settings: Any) -> None:
    for _ in range(settings.LIMITS["LOG_IN_ACCOUNT"].count + 3):
        Client().post("/accounts/login/", {"login": "rae@example.org", "password": "wrong"})
    assert kinds_of(member=world.users["rae"].pk).count(K.LOG_IN_LOCKED) == 1


def test_a_party_that_publishes_other_keys_is_noted_once(world: World, tmp_path: Any) -> None:
    for _ in range(2):
        note_published_keys()
    assert kinds_of(kind=K.PARTY_KEYS_CHANGED) == [K.PARTY_KEYS_CHANGED] * 2
    other = Party(world.parties.regulator.role, world.parties.regulator.rng)
    other.publish(tmp_path)
    note_published_keys()
    changed = AuditEntry.objects.filter(kind=K.PARTY_KEYS_CHANGED)
    assert changed.count() == 3
    assert changed.latest("pk").actor == "regulator_party"


def test_rows_can_neither_be_changed_nor_deleted(world: World) -> None:
    world.drafted()
    chain.link_entries()
    for rows in (AuditEntry.objects, AuditLink.objects):
        row: Any = rows.first()
        for change in (
            row.save,
            row.delete,
            rows.all().delete,
            lambda rows=rows: rows.all().update(pk=1),
            lambda rows=rows, row=row: rows.bulk_update([row], ["pk"]),
        ):
            with pytest.raises(ImmutableError):
                change()


@pytest.mark.parametrize("table", ["audit_auditentry", "audit_auditlink"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET id = id", "DELETE FROM {}"])
def test_the_database_refuses_too(world: World, table: str, statement: str) -> None:
    world.drafted()
    chain.link_entries()
    sql = statement.format(table)
    if table.endswith("link"):
        sql = sql.replace("id = id", "digest = ''")
    with (
        pytest.raises(DatabaseError, match="only added"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)


def _tamper(sql: str) -> None:
    connection.check_constraints()  # PostgreSQL drops no trigger while some are still to be checked
    unguard(connection, "audit_auditentry")
    with connection.cursor() as cursor:
        cursor.execute(sql)
    guard(connection, "audit_auditentry")


def test_the_chain_is_intact_until_an_entry_is_changed(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    study = world.drafted()
    world.post("mo", f"/studies/{study.id}/submit", {})
    assert chain.link_entries() == AuditEntry.objects.count()
    assert chain.link_entries() == 0
    page = world.page("rae", PAGES["rae"])
    assert 'data-testid="chain-intact"' in page
    call_command("check_audit_log")
    assert "Chain intact" in capsys.readouterr().out
    entry = AuditEntry.objects.get(kind=K.STUDY_DRAFTED)
    _tamper(f"UPDATE audit_auditentry SET detail = 'nothing' WHERE id = {entry.pk}")
    page = world.page("rae", PAGES["rae"])
    assert 'data-testid="chain-broken"' in page
    assert page.count("data-misfit") == 1
    with pytest.raises(CommandError, match=f"link {entry.link.number}"):
        call_command("check_audit_log")


def test_entries_that_come_late_are_linked_after_the_others(world: World) -> None:
    study = world.drafted()
    chain.link_entries()
    last = AuditLink.objects.latest("number")
    late = AuditEntry(kind=K.STUDY_CHANGED, actor="site", study_id=study.id)
    late.save()
    assert chain.link_entries() == 1
    assert AuditLink.objects.latest("number").number == last.number + 1
    assert chain.check_chain().broken_at is None
