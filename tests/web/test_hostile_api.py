"""Whatever is sent to the API: a good answer, or a typed problem and nothing kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web import hostile
from tests.web.drafts import API, some_id
from tests.web.hostile import FUZZ, Door, Operation
from tests.web.stories import World

pytestmark = pytest.mark.slow

WITH_BODY = [
    ("post", f"{API}/studies"),
    ("put", f"{API}/studies/{{study_id}}"),
    ("post", f"{API}/studies/{{study_id}}/invitations"),
    ("post", f"{API}/studies/{{study_id}}/data"),
    ("put", f"{API}/studies/{{study_id}}/data/{{upload_id}}/parts/{{number}}"),
    ("post", f"{API}/studies/{{study_id}}/certifications"),
    ("post", f"{API}/studies/{{study_id}}/trainings"),
    ("post", f"{API}/studies/{{study_id}}/submissions"),
    ("post", f"{API}/studies/{{study_id}}/models"),
    ("post", f"{API}/studies/{{study_id}}/takeovers"),
    ("post", f"{API}/models/{{model_id}}/deployment"),
    ("post", f"{API}/certificates/{{certificate_id}}/revocation"),
    ("post", f"{API}/proposals/{{proposal_id}}/approvals"),
    ("post", f"{API}/proposals/{{proposal_id}}/decline"),
    ("post", f"{API}/challenges"),
    ("post", f"{API}/policies"),
    ("post", f"{API}/policy-readings"),
]
each_operation = pytest.mark.parametrize(
    "operation", WITH_BODY, ids=lambda operation: " ".join(operation).replace(API, "")
)


@pytest.fixture
def unlimited(settings: Any) -> None:
    """Lift the limits: fuzzing is just what they are for."""
    from blindjustice_web.config.limits import RequestRate

    settings.LIMITS = dict.fromkeys(settings.LIMITS, RequestRate(999_999, 60))


@pytest.fixture
def doors(world: World, unlimited: None) -> dict[Operation, Door]:
    """Return a door for each operation that takes a body."""
    return hostile.bodies(world)


def _described(world: World) -> dict[str, Any]:
    paths: dict[str, Any] = world.get("anonymous", "/openapi.json").json()["paths"]
    return paths


def _try(world: World, door: Door, raw: bytes, content_type: str = "application/json") -> int:
    with hostile.undone(world):
        answer = hostile.send(world, door, raw, content_type)
        hostile.check(world, answer, door.before, raw[:300])
    status: int = answer.status_code
    return status


def test_every_operation_with_a_body_is_tried(world: World, doors: dict[Operation, Door]) -> None:
    described = {
        (method, path)
        for path, methods in _described(world).items()
        for method, operation in methods.items()
        if "requestBody" in operation
    }
    assert described == set(WITH_BODY) == set(doors)


def test_the_bodies_that_are_bent_are_good_ones(world: World, doors: dict[Operation, Door]) -> None:
    for operation, door in doors.items():
        status = _try(world, door, json.dumps(door.body).encode())
        assert status < 300 or operation[1].endswith(("/deployment", "/takeovers")), (
            operation,
            status,
        )


@pytest.mark.database
@each_operation
def test_a_bent_body_is_refused_by_type(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]

    @FUZZ
    @given(st.data())
    def bend(data: st.DataObject) -> None:
        _try(world, door, json.dumps(hostile.bent_body(data, door.body)).encode())

    bend()


@each_operation
def test_bytes_that_are_no_body_are_refused_by_type(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]

    @FUZZ
    @given(st.data())
    def bend(data: st.DataObject) -> None:
        _try(world, door, hostile.bent_bytes(data, json.dumps(door.body).encode()))

    bend()


@each_operation
def test_any_json_is_refused_by_type(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]

    @FUZZ
    @given(hostile.json_values)
    def bend(value: Any) -> None:
        assert _try(world, door, json.dumps(value).encode()) >= 400

    bend()


@pytest.mark.database
@each_operation
def test_a_strange_value_in_any_field_is_refused_by_type(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]
    for name in door.body:
        for strange in hostile.STRANGE:
            _try(world, door, json.dumps({**door.body, name: strange}).encode())


def _spoilt(raw: bytes) -> list[bytes]:
    """Return what one reader of JSON takes and another does not."""
    return [
        b"[" * 200_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        raw[:-1] + b',"x":' + b"9" * 10_000 + b"}",
        raw[:-1] + b',"x":NaN}',
        raw[:-1] + b',"x":-Infinity}',
        raw[:-1] + b',"x":1e999}',
        raw[:-1] + b',"x":"\xff\xfe"}',
        raw[:-1] + b",}",
        raw + b"\x00",
        b"\xef\xbb\xbf" + raw,
    ]


@each_operation
def test_what_one_reader_takes_and_another_does_not_is_refused(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    raw = json.dumps(doors[operation].body).encode()
    for spoilt in _spoilt(raw):
        assert _try(world, doors[operation], spoilt) == 400, spoilt[-40:]
    _try(world, doors[operation], raw[:-1] + b',"x":' + b"[" * 900 + b"]" * 900 + b"}")


@each_operation
def test_a_name_that_occurs_twice_is_refused(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]
    raw = json.dumps(door.body).encode()
    for name, value in door.body.items():
        for second in (value, None, "other"):
            doubled = raw[:-1] + f", {json.dumps(name)}: {json.dumps(second)}}}".encode()
            assert _try(world, door, doubled) == 400, name


@each_operation
def test_the_order_of_names_means_nothing(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]
    backwards = dict(reversed(door.body.items()))
    good, turned = (_try(world, door, json.dumps(b).encode()) for b in (door.body, backwards))
    assert good == turned


TYPES = [
    *("", "text/plain", "text/json", "application/xml", "application/problem+json"),
    *("multipart/form-data", "multipart/form-data; boundary=x", "image/png", "\x00", "é"),
    *("application/x-www-form-urlencoded", "application/json2", "application/json/x"),
]


@each_operation
def test_a_body_of_another_type_is_refused(
    world: World, doors: dict[Operation, Door], operation: Operation
) -> None:
    door = doors[operation]
    raw = json.dumps(door.body).encode()
    good = _try(world, door, raw)
    for content_type in TYPES:
        assert _try(world, door, raw, content_type) == 400, content_type
    for charset in ("utf-16", "latin-1", "nonsense", "utf-7", "é"):
        assert _try(world, door, raw, f"application/json; charset={charset}") == good


def test_any_address_under_the_api_answers_with_a_problem(world: World, unlimited: None) -> None:
    templates = list(_described(world))
    parts = st.one_of(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=40),
        st.sampled_from(["..", "%00", "%2e%2e%2f", "a" * 31, "A" * 32, "g" * 32, "a" * 5000, "²"]),
        st.just(some_id("nobody's")),
    )

    before_counts = hostile.counts(world)

    @FUZZ
    @given(st.data())
    def ask(data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(templates))
        while "{" in path:
            before, _, rest = path.partition("{")
            path = before + data.draw(parts).replace("{", "") + rest.partition("}")[2]
        who = data.draw(st.sampled_from(["anonymous", "uma", "mo", "rae"]))
        method = data.draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "XYZ"]))
        query = data.draw(st.sampled_from(["", "?study=", "?study=%00", "?study[]=1", "?a&a=%ff"]))
        with hostile.undone(world):
            answer = world.clients[who].generic(method, path.replace("?", "") + query)
            what = (method, path, query)
            hostile.check(world, answer, before_counts, what)

    ask()


@pytest.mark.parametrize("path", ["/api/", "/api/v2/studies", "/api/v1/", "/api/v1/none", "/api/x"])
def test_an_address_that_is_not_there_is_a_problem_too(world: World, path: str) -> None:
    answer = world.clients["mo"].get(path)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "NOT_FOUND"


def test_a_method_that_is_not_taken_is_a_problem_and_names_those_that_are(world: World) -> None:
    answer = world.clients["mo"].delete(f"{API}/parties")
    assert answer.status_code == 405
    assert answer.json()["code"] == "METHOD_NOT_ALLOWED"
    assert answer["Allow"] == "GET"


def test_a_host_that_is_not_ours_is_a_problem(world: World) -> None:
    for host in ("evil.example", "a b", "[::1", "\x00"):
        answer = world.clients["mo"].get(f"{API}/parties", HTTP_HOST=host)
        assert answer.status_code == 400
        assert answer.json()["code"] == "REQUEST_NOT_READABLE"
