"""What the site's tests post: drafts, terms, answers, and stand-ins for what is sealed."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from blindjustice_web.engine import engine_policies
from blindjustice_web.studies.models import Configuration, Study
from tests.builders.policies import each_pair
from tests.builders.sealing_keys import sealing_key
from tests.builders.study_drafts import DURATION, attribute, by_age, label, make_draft

API = "/api/v1"
RECORD_SET = hashlib.sha256(b"records").hexdigest()
RECIPIENT = sealing_key().hex()
TRAINING: dict[str, Any] = {"steps": 300, "points": [["0.01"]], "recipient": RECIPIENT}
PASSING = ("PASS", "PASS", "FAIL", "FAIL", "PASS")
"""p%-rule at 70, 80, 90 %, difference at 5, 10 points: what the draft's policy asks."""
AUDIT: dict[str, Any] = {
    "kind": "published",
    "questions": 16,
    "criteria": [{"criterion": "p_rule", "thresholds": ["80"], "certify_at": "80"}],
    "comparison": "most_selected",
    "groups": [["age"]],
    "minimum_group": 2,
    "minimum_decided": 5,
    "minimum_percent": "2",
    "minimum_answers": 1,
    "small_groups": "excluded_and_named",
    "missing_answers": "left_out",
    "disclosure": "table",
}
"""A policy that opens the counts of every age group."""
SEX_AND_RACE = [
    attribute("sex", "Sex", "What is your sex?", female="Female", male="Male"),
    attribute(
        *("race_ethnicity", "Race or ethnicity", "Which of these describes you best?"),
        asian="Asian",
        black="Black or African American",
        white="White",
    ),
]
THREE_AGES = [by_age(old="Over 60", middle="25 to 60", young="Under 25")]
LOCAL_LAW_144: dict[str, Any] = {
    **AUDIT,
    "groups": [["sex"], ["race_ethnicity"], ["sex", "race_ethnicity"]],
}
LOCAL_LAW_144_COUNTS = [
    [2000, 960],
    [2050, 1025],
    [400, 170],
    [1500, 705],
    [2150, 1110],
    [190, 78],
    [760, 350],
    [1050, 532],
    [210, 92],
    [740, 355],
    [1100, 578],
]
"""Of both sexes, three races, and both crossed: people and selected people."""


def draft(**changes: Any) -> dict[str, Any]:
    """Return a good draft of one feature and one attribute, with changes."""
    values: dict[str, Any] = {
        "title": "Credit and age",
        "purpose": "Find out whether age changes who gets credit.",
        "certificate_days": 365,
        "features": [DURATION],
        "label": label("credit", "Credit", "good credit", "bad credit"),
        "attributes": [by_age()],
        "policy": each_pair(
            groups=[["age"]], minimum_group=10, minimum_decided=10, minimum_answers=20
        ),
    }
    return make_draft(**{**values, **changes})


def terms(**changes: Any) -> dict[str, Any]:
    """Return the good terms of a policy to publish, with changes."""
    whole = draft()
    policy = engine_policies.PRESETS[0].policy(["age"], 20, 40)
    named = {name: whole[name] for name in ("attributes", "label", "question_bits_limit")}
    return {**named, "policy": policy, **changes}


def some_id(name: str) -> str:
    """Return an identifier that belongs to a name."""
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def envelope(name: str, size: int = 300) -> str:
    """Return a stand-in for a sealed envelope, in base64: the site never looks inside."""
    return base64.b64encode(hashlib.shake_256(name.encode()).digest(size)).decode()


def announced(content: str, name: str) -> dict[str, Any]:
    """Return the announcement of a sealed file whose content is given in base64."""
    raw = base64.b64decode(content)
    return {
        "upload_id": some_id(name),
        "size_bytes": len(raw),
        "digest": hashlib.sha256(raw).hexdigest(),
    }


def submission(record: str, sequence: int = 1, tag: str = "") -> dict[str, Any]:
    """Return what a person's page posts."""
    name = f"{record} {sequence} {tag}"
    return {
        "record_id": record,
        "submission_id": some_id(name),
        "sequence": sequence,
        "owner_key": "04" + "ab" * 64,
        "signature": base64.b64encode(b"s" * 64).decode(),
        "envelope_modeler": envelope(f"{name} m"),
        "envelope_regulator": envelope(f"{name} r"),
    }


def attempt_of(study: Study) -> str:
    """Return which proposal of its configuration a study is at."""
    return Configuration.objects.get(study=study).attempt_id
