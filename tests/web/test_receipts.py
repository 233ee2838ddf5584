"""The receipt page: what both parties signed for a record, for whoever holds its id."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from blindjustice_web.lib.qr import qr_svg
from blindjustice_web.portals.user.receipt_page import receipt_address
from tests.web.drafts import some_id, submission
from tests.web.stories import World


def _open(world: World, study: Any, record: str, who: str = "anonymous") -> Any:
    return world.clients[who].get(f"/take-part/{study.id}/receipts/{record}/")


def test_a_receipt_says_that_both_hold_the_latest_version(world: World) -> None:
    study, (record, *_) = world.invited()
    world.answered(study, record)
    world.answered(study, record, 2)
    page = _open(world, study, record)
    assert page.context["standing"].value == "HELD"
    assert "version" not in page.context
    assert [party.state.value for party in page.context["parties"]] == ["HELD", "HELD"]
    assert page.context["digest"]
    assert b"no-store" in page["Cache-Control"].encode()


@pytest.mark.parametrize(
    ("state", "counts", "of_receipt", "of_invitation"),
    [
        ("CLOSED", True, "this one stays in it", "Answers given before count."),
        ("WAITING", True, "both delete this one", "both parties delete them"),
        ("ENDED", False, "both have deleted this answer", "have deleted what they held"),
    ],
)
def test_whoever_answered_reads_what_becomes_of_the_answer(
    world: World, state: str, counts: bool, of_receipt: str, of_invitation: str
) -> None:
    study, (record, *_) = world.invited()
    world.answered(study, record)
    study.state = state
    study.save()
    page = _open(world, study, record).content.decode()
    assert ("It counts." in page) is counts
    assert of_receipt in page.split('data-testid="receipt-replaced"')[1].split("</dd>")[0]
    told = world.clients["anonymous"].get(f"/take-part/{study.id}/").context["closed_sentence"]
    assert of_invitation in told


@pytest.mark.parametrize(
    ("digests", "standing"), [(("a", ""), "WAITING"), (("a", "b"), "ALARM"), (("", ""), "WAITING")]
)
def test_a_receipt_never_says_more_than_was_signed(
    world: World, digests: tuple[str, str], standing: str
) -> None:
    study, (record, *_) = world.invited()
    sent = submission(record)
    assert world.submit(study, sent).status_code == 202
    for party, digest in zip(world.parties, digests, strict=True):
        if digest:
            party.says(
                "receipt",
                study_id=study.id,
                record_id=record,
                submission_id=sent["submission_id"],
                sequence=1,
                common_digest=hashlib.sha256(digest.encode()).hexdigest(),
            )
    assert _open(world, study, record).context["standing"].value == standing


def test_an_invitation_without_an_answer_says_so(world: World) -> None:
    study, records = world.invited()
    assert _open(world, study, records[0]).context["standing"].value == "NONE"
    assert _open(world, study, some_id("a guess")).status_code == 404


def test_guesses_of_records_are_counted(world: World, settings: Any) -> None:
    study, _records = world.invited()
    settings.LIMITS = {
        **settings.LIMITS,
        "GUESSES_ADDRESS": settings.LIMITS["GUESSES_ADDRESS"].__class__(2, 60),
    }
    statuses = [_open(world, study, some_id(f"guess {n}")).status_code for n in range(4)]
    assert statuses[0] == 404
    assert statuses[-1] == 429


def test_the_qr_code_is_the_address_of_the_receipt(world: World) -> None:
    study, (record, *_) = world.invited()
    answer = world.clients["anonymous"].get(f"/take-part/{study.id}/receipts/{record}/qr.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer.content == qr_svg(receipt_address(study.id, record))
    assert b"style" not in answer.content
    assert b"<script" not in answer.content


def test_a_code_that_no_camera_reads_is_not_made() -> None:
    with pytest.raises(ValueError, match="too long"):
        qr_svg("x" * 2001)
