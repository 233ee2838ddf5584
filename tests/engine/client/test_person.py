"""A person shares, replaces and challenges; what the site or a party falsifies is found."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from mpc_engine.client.person import (
    Participation,
    accept_invitation,
    case_id,
    challenge_decision,
    wait_for_answer,
)
from mpc_engine.control.post.exchanges.job_results import METRICS
from mpc_engine.control.studies.study_texts import parse_challenge
from mpc_engine.errors import (
    InvalidSignatureError,
    PeerTimeoutError,
    SiteRefusalError,
    UsageError,
)
from mpc_engine.roles import Role
from mpc_engine.sharing.credentials import invitation_path
from mpc_engine.sharing.sealed import open_sealed, unpad_message

RECORD, CODE = bytes(range(16, 32)), bytes(range(32, 48))
X = (512, -2048)


@pytest.fixture
def uma(site: Any) -> Participation:
    for party in site.parties.values():
        party.codes[RECORD] = CODE
    study_id = site.study.configuration.study_id
    return accept_invitation(site, site.origin + invitation_path(study_id, RECORD, CODE))


def record_page(site: Any) -> Any:
    return site.pages[f"{site.study.path}/records/{RECORD.hex()}"]


def test_both_parties_give_receipts_and_their_bits_make_up_the_answer(
    site: Any, uma: Participation
) -> None:
    submission = uma.share(site, [1], features=X, label=1)
    receipts = uma.wait_for_receipts(site, submission, timeout_s=1)
    assert set(receipts) == set(Role)
    shares = [party.shares[0] for party in site.parties.values()]
    assert list(shares[0].low_bits ^ shares[1].low_bits) == [0, 1, 0]


def test_replacement_is_another_submission_of_the_same_owner(site: Any, uma: Participation) -> None:
    first = uma.share(site, [1], features=X, label=1)
    second = uma.share(site, [2], features=X, label=1)
    assert 0 <= first.sequence < second.sequence
    assert first.submission_id != second.submission_id
    assert first.owner_public_key == second.owner_public_key
    assert set(uma.wait_for_receipts(site, second, timeout_s=1)) == set(Role)


def test_receipt_for_another_submission_is_found(site: Any, uma: Participation) -> None:
    first = uma.share(site, [1], features=X, label=1)
    second = uma.share(site, [0], features=X, label=1)
    earlier, later = record_page(site)["submissions"]
    later["receipts"] = earlier["receipts"]
    with pytest.raises(InvalidSignatureError) as caught:
        uma.receipts(site, second)
    assert caught.value.code == "RECEIPT_DIFFERENT"
    assert uma.receipts(site, first) is not None


def test_receipt_that_the_site_wrote_itself_is_found(site: Any, uma: Participation) -> None:
    submission = uma.share(site, [1], features=X, label=1)
    receipt = record_page(site)["submissions"][0]["receipts"][0]
    first, rest = receipt["signature"][:2], receipt["signature"][2:]
    receipt["signature"] = f"{int(first, 16) ^ 1:02x}{rest}"
    with pytest.raises(InvalidSignatureError):
        uma.receipts(site, submission)


def test_one_receipt_is_not_enough(site: Any, uma: Participation) -> None:
    submission = uma.share(site, [1], features=X, label=1)
    record_page(site)["submissions"][0]["receipts"].pop()
    assert uma.receipts(site, submission) is None
    with pytest.raises(PeerTimeoutError, match="receipts"):
        uma.wait_for_receipts(site, submission, timeout_s=0.1)


def test_refusal_of_a_party_is_told_with_its_code(site: Any, uma: Participation) -> None:
    site.parties[Role.REGULATOR].codes[RECORD] = bytes(16)
    submission = uma.share(site, [1], features=X, label=1)
    with pytest.raises(SiteRefusalError) as caught:
        uma.receipts(site, submission)
    assert caught.value.code.startswith("CREDENTIAL")


def test_nothing_is_sent_of_an_answer_that_the_study_does_not_know(
    site: Any, uma: Participation
) -> None:
    for answers, features in (([3], X), ([0, 0], X), ([0], (9, 9, 9)), ([0], None)):
        with pytest.raises(UsageError):
            uma.share(site, answers, features=features, label=1)
    assert site.posted == []


@pytest.mark.parametrize(
    ("link", "code"),
    [
        ("http://elsewhere.example/take-part/{study}/#{fragment}", "INVITATION_OTHER_SITE"),
        ("/take-part/{study}/", "INVITATION_INCOMPLETE"),
        ("/take-part/zz/#{fragment}", "INVITATION_INCOMPLETE"),
        ("/somewhere/{study}/#{fragment}", "INVITATION_INCOMPLETE"),
    ],
)
def test_links_that_are_not_whole_are_refused(site: Any, link: str, code: str) -> None:
    study_id = site.study.configuration.study_id
    fragment = invitation_path(study_id, RECORD, CODE).split("#")[1]
    with pytest.raises(UsageError) as caught:
        accept_invitation(site, link.format(study=study_id.hex(), fragment=fragment))
    assert caught.value.code == code


def test_configuration_of_another_study_is_refused(site: Any) -> None:
    other = bytes(16)
    page = site.pages[f"{site.study.path}/configuration"]
    site.pages[f"/api/v1/studies/{other.hex()}/configuration"] = page
    with pytest.raises(UsageError) as caught:
        accept_invitation(site, invitation_path(other, RECORD, CODE))
    assert caught.value.code == "CONFIGURATION_OTHER"


def test_challenge_opens_for_the_regulator_only_and_hides_its_kind_in_its_size(site: Any) -> None:
    record = {"body": "{}", "signature": "00"}
    site.answers["/api/v1/challenges"] = {"state": "RECEIVED"}
    sizes = set()
    for given in (None, record):
        challenge_id = challenge_decision(
            site, site.study, bytes(16), x=X, decision=1, record=given
        )
        path, posted = site.posted[-1]
        assert path == "/api/v1/challenges"
        assert posted["source"] == ("record" if given else "typed")
        envelope = base64.b64decode(posted["envelope"])
        sizes.add(len(envelope))
        party = site.parties[Role.REGULATOR].sealing_key
        configuration = site.study.configuration
        plaintext = open_sealed(
            "challenge",
            Role.REGULATOR,
            configuration.study_id,
            configuration.digest,
            party.key_id,
            party,
            challenge_id,
            envelope,
        )
        challenge = parse_challenge(unpad_message(plaintext))
        assert (challenge.challenge_id, challenge.x, challenge.decision) == (challenge_id, X, 1)
        assert challenge.record == (given or {})
    assert len(sizes) == 1


def test_one_record_makes_one_case_until_that_could_not_be_read(site: Any) -> None:
    record = {"body": "{}", "signature": "ab" * 64}
    ids = []
    for state in ("RECEIVED", "ANSWERED", "REFUSED"):
        site.answers["/api/v1/challenges"] = {"state": state}
        ids.append(challenge_decision(site, site.study, bytes(16), x=X, decision=1, record=record))
    assert ids[0] == ids[1] == case_id(record) != ids[2]
    assert case_id(record).hex() == "4cf0b97e6f93ff8ae1533e467c4f6015"  # as the browser has it
    other = {"body": "{}", "signature": "ac" * 64}
    assert case_id(other) != ids[0]


def answer_page(site: Any, role: Role, challenge_id: bytes, outcome: str) -> None:
    statement = site.parties[role].says(
        "job_result",
        job_id=bytes(16).hex(),
        attempt=1,
        job_kind="verification",
        outcome={
            "certificate_id": bytes(16).hex(),
            "challenges": [{"challenge_id": challenge_id.hex(), "outcome": outcome}],
        },
        metrics=dict.fromkeys(METRICS, 1),
    )
    site.pages[f"/api/v1/challenges/{RECORD.hex()}"] = {
        "state": "ANSWERED",
        "answer": statement,
        "job_id": bytes(16).hex(),
    }


def test_answer_is_what_the_regulator_signed_about_this_challenge(site: Any) -> None:
    answer_page(site, Role.REGULATOR, RECORD, "CONFIRMED")
    answer = wait_for_answer(site, site.study, RECORD, timeout_s=1)
    assert (answer.outcome, answer.job_id) == ("CONFIRMED", bytes(16).hex())


@pytest.mark.parametrize(
    ("role", "about"), [(Role.MODELER, RECORD), (Role.REGULATOR, bytes(range(16)))]
)
def test_answer_of_another_party_or_case_is_found(site: Any, role: Role, about: bytes) -> None:
    answer_page(site, role, about, "CONFIRMED")
    with pytest.raises(InvalidSignatureError) as caught:
        wait_for_answer(site, site.study, RECORD, timeout_s=1)
    assert caught.value.code == "ANSWER_DIFFERENT"


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ({"state": "REFUSED", "refusal": {"code": "SEAL", "sentence": "Not readable."}}, "SEAL"),
        ({"state": "ANSWERED", "answer": None, "job_id": ""}, "NOT_ANSWERED"),
    ],
)
def test_challenge_without_an_answer_is_told_why(site: Any, page: Any, code: str) -> None:
    site.pages[f"/api/v1/challenges/{RECORD.hex()}"] = page
    with pytest.raises(SiteRefusalError) as caught:
        wait_for_answer(site, site.study, RECORD, timeout_s=1)
    assert caught.value.code == code


def test_secrets_do_not_show_when_printed(uma: Participation) -> None:
    assert CODE.hex() not in repr(uma)
    assert "owner_key" not in repr(uma)
