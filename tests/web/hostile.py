"""Hostile requests: good bodies, everything that can be done to them, and what must hold after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mpc_engine.control.studies.study_texts import Revocation, revocation_text
from tests.web.drafts import API, TRAINING, announced, draft, envelope, some_id, submission, terms
from tests.web.memory import recalled
from tests.web.stories import World

FUZZ = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
"""The same examples on every machine, each in a transaction that is rolled back."""

Operation = tuple[str, str]


@dataclass(frozen=True)
class Door:
    """One operation that takes a body: who may use it, its address, a body without fault."""

    who: str
    method: str
    path: str
    body: dict[str, Any]
    before: dict[str, int] = field(default_factory=dict)


def bodies(world: World) -> dict[Operation, Door]:
    """Return a door for each operation of the API that takes a body, in a state to use it."""
    told: dict[Operation, Door] = recalled(world, "bodies", (), lambda: _bodies(world))
    return told


def _bodies(world: World) -> dict[Operation, Door]:
    open_study, records = world.invited()
    world.broker.tasks.clear()
    waiting = world.submitted()
    drafted = world.drafted()
    certificate = world.certified()
    closed = certificate.study
    proposal = waiting.proposals.get(kind="configuration")
    model = world.held_model(closed, "Model H")
    other = [some_id(f"hostile {number}") for number in range(2)]
    by_file = world.opened(data_source="file")
    trainable = world.trainable()
    signed = world.parties.modeler.approves("configuration", proposal.text)
    deployment = json.dumps({"format": "bj1 deployment"})
    revoked = revocation_text(Revocation(bytes.fromhex(certificate.id), "No.", timezone.now()))
    revocation = {
        "text": revoked,
        **world.parties.regulator.approves("revocation", revoked),
    }
    trained = world.swept(world.trainable(title="Trained"), {"0.1": 800})
    takeover = world.takeover(closed, list(trained.values()))
    part = {"content": envelope("part")}
    arriving = announced(part["content"], "arriving")
    two_files = world.opened(data_source="file", title="Data that arrive")
    assert world.post("rae", f"/studies/{two_files.id}/data", arriving).status_code == 202
    part_path = f"studies/{two_files.id}/data/{arriving['upload_id']}/parts/0"
    new_model = {"model_id": some_id("m"), "name": "M", "envelope": envelope("m")}
    case = {
        "challenge_id": some_id("hostile case"),
        "certificate_id": certificate.id,
        "envelope": envelope("hostile case"),
        "source": "record",
    }
    invited = world.invitations(open_study, other)
    answer = submission(records[0])
    doors = [
        Door("mo", "post", "studies", draft()),
        Door("mo", "put", f"studies/{drafted.id}", draft()),
        Door("mo", "post", f"studies/{open_study.id}/invitations", invited),
        Door("rae", "post", f"studies/{by_file.id}/data", announced(envelope("u"), "u")),
        Door("rae", "put", part_path, part),
        Door("mo", "post", f"studies/{closed.id}/certifications", {"model_id": model}),
        Door("mo", "post", f"studies/{trainable.id}/trainings", TRAINING),
        Door("anonymous", "post", f"studies/{open_study.id}/submissions", answer),
        Door("mo", "post", f"studies/{open_study.id}/models", new_model),
        Door("mo", "post", f"studies/{closed.id}/takeovers", takeover),
        Door("mo", "post", f"models/{model}/deployment", {"text": deployment, **signed}),
        Door("rae", "post", f"certificates/{certificate.id}/revocation", revocation),
        Door("mo", "post", f"proposals/{proposal.id}/approvals", signed),
        Door("mo", "post", f"proposals/{proposal.id}/decline", {"reason": "No."}),
        Door("uma", "post", "challenges", case),
        Door("rae", "post", "policies", {"title": "Another", "terms": terms()}),
        Door("rae", "post", "policy-readings", terms()),
    ]
    before = counts(world)
    return {operation_of(door): replace(door, before=before) for door in doors}


def operation_of(door: Door) -> Operation:
    """Return method and path of a door as the API's description names them."""
    steps = door.path.split("/")
    if len(steps) > 1:
        names = {
            "studies": "study_id",
            "models": "model_id",
            "proposals": "proposal_id",
            "certificates": "certificate_id",
        }
        steps[1] = "{" + names[steps[0]] + "}"
    if "parts" in steps:
        steps[3], steps[5] = "{upload_id}", "{number}"
    return door.method, f"{API}/{'/'.join(steps)}"


def send(world: World, door: Door, raw: bytes, content_type: str = "application/json") -> Any:
    """Send bytes through a door."""
    client = world.clients[door.who]
    return client.generic(door.method.upper(), f"{API}/{door.path}", raw, content_type=content_type)


def counts(world: World) -> dict[str, int]:
    """Return how many rows every table has, and how many tasks went to the parties."""
    tables = [model._meta.db_table for model in apps.get_models() if model is not Session]
    each = (f"SELECT '{table}', COUNT(*) FROM \"{table}\"" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(each))
        return dict(cursor.fetchall()) | {"tasks": len(world.broker.tasks)}


@contextmanager
def undone(world: World) -> Iterator[None]:
    """Undo what an example does."""
    tasks = list(world.broker.tasks)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    world.broker.tasks[:] = tasks


def check(world: World, answer: Any, before: dict[str, int], what: object) -> None:
    """Check what holds for every answer: typed, never ours to blame, nothing kept if refused."""
    assert answer.status_code < 500, (what, answer.content)
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json", (what, answer.content)
        problem = answer.json()
        assert problem["status"] == answer.status_code
        assert problem["code"].replace("_", "").isupper(), problem
        for member in ("type", "title", "detail", "kept", "next"):
            assert problem[member]
        assert before == counts(world), (what, problem)


# What can be done to a body

STRANGE: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**32, 2**63, 2**64, -(2**63), 10**400, 1.5, -0.0, 1e308),
    *("", " ", "\x00", "\ud800", "\udfff\ud800", "\u202e", "é" * 40, "A" * 5000, "²", "١", "0x10"),
    *([], {}, [[]], [{}], [None] * 50, {"": ""}, {"\x00": 1}, {"\ud800": 1}, {"a": {"b": {}}}),
    *("../../etc/passwd", "' OR 1=1 --", "<script>", "%00", "\r\nX: y", "=1+1", "{{7*7}}"),
    *("g" * 32, "A" * 32, "a" * 31, "a" * 33, "a" * 31 + "\n", "ａ" * 32, "=" * 200, "A" * 101),
]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=40),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5)
    ),
    max_leaves=12,
)


def steps_into(value: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the place of every value in a JSON value."""
    if so_far:
        yield so_far
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from steps_into(inner, (*so_far, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from steps_into(inner, (*so_far, number))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """Return a JSON value with another value in one place."""
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = new
    return copy


def without(value: Any, place: tuple[Any, ...]) -> Any:
    """Return a JSON value without what is in one place."""
    copy = json.loads(json.dumps(value))
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    del inner[place[-1]]
    return copy


def bent_text(data: st.DataObject, text: str) -> str:
    """Return a text with one bit, one end or one part changed."""
    at = data.draw(st.integers(0, max(0, len(text) - 1)), label="at")
    how = data.draw(st.sampled_from(["cut", "doubled", "flipped", "extended", "shifted"]))
    flipped = chr(ord(text[at]) ^ 1) if text else "x"
    return {
        "cut": text[:at],
        "doubled": text + text,
        "flipped": text[:at] + flipped + text[at + 1 :],
        "extended": text + data.draw(st.text(st.characters(), min_size=1, max_size=5)),
        "shifted": text[at:] + text[:at],
    }[how]


def bent_body(data: st.DataObject, body: dict[str, Any]) -> dict[str, Any]:
    """Return a body with something in it changed, removed or added."""
    places = list(steps_into(body))
    place = data.draw(st.sampled_from(places), label="place")
    how = data.draw(st.sampled_from(["strange", "any", "removed", "bent", "added", "swapped"]))
    old = body
    for step in place:
        old = old[step]
    if how == "removed":
        return dict(without(body, place))
    if how == "added":
        return {**body, data.draw(st.text(max_size=10)): data.draw(json_values)}
    if how == "swapped":
        other = data.draw(st.sampled_from(places), label="other")
        new: Any = body
        for step in other:
            new = new[step]
    elif how == "bent" and isinstance(old, str):
        new = bent_text(data, old)
    elif how == "strange":
        new = data.draw(st.sampled_from(STRANGE), label="strange")
    else:
        new = data.draw(json_values, label="new")
    return dict(replaced(body, place, new))


def bent_bytes(data: st.DataObject, raw: bytes) -> bytes:
    """Return bytes cut, doubled, overwritten, or exchanged for others."""
    at = data.draw(st.integers(0, len(raw) - 1), label="at")
    how = data.draw(
        st.sampled_from(["cut", "doubled", "overwritten", "filled", "random", "twice", "encoded"])
    )
    other = data.draw(st.binary(min_size=1, max_size=20), label="other")
    if how == "encoded":
        name = data.draw(st.sampled_from(["utf-16", "utf-32", "utf-8-sig", "utf-7", "cp037"]))
        return raw.decode().encode(name)
    return {
        "cut": raw[:at],
        "doubled": raw + raw,
        "overwritten": raw[:at] + other + raw[at + len(other) :],
        "filled": raw[:at] + other + raw[at:],
        "random": other,
        "twice": raw[:-1] + b"," + raw[1:],
    }[how]
