"""Approved and sealed texts: damaged, of another kind, or no text at all."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpc_engine.control.files.certificate import parse_certificate
from mpc_engine.control.files.descriptor import approver_file, parse_approver_file, parse_descriptor
from mpc_engine.control.files.model_file import parse_model
from mpc_engine.control.files.revocation import parse_revocation_list, revocation_list_text
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.control.studies.configuration import parse_configuration
from mpc_engine.control.studies.study_texts import (
    DataRow,
    challenge_text,
    data_text,
    deployment_text,
    invitations_text,
    parse_approved_body,
    parse_challenge,
    parse_data,
    parse_deployment,
    parse_invitations,
    parse_revocation,
    revocation_text,
)
from mpc_engine.control.studies.takeover import Takeover, parse_takeover, takeover_text
from mpc_engine.control.texts.canonical import canonical_bytes, canonical_text, parse_canonical
from mpc_engine.errors import DecodeError, UsageError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.builders.study_drafts import STUDY_ID
from tests.engine.hostile.mutations import damaged, damaged_json, fuzzing, json_text, json_values
from tests.engine.hostile.specimens import (
    APPROVER,
    BODY,
    CERTIFICATE,
    CHALLENGE,
    DESCRIPTOR,
    DIGEST,
    ID,
    JOBS,
    NOW,
    REVOCATION,
    REVOCATION_LIST,
    STUDY,
)

_TEXTS: dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], str] | None]] = {
    "configuration": (STUDY.text, parse_configuration, lambda study: study.text),
    "closing job": (JOBS[0], parse_job, lambda job: job.text),
    "certification job": (JOBS[1], parse_job, lambda job: job.text),
    "verification job": (JOBS[2], parse_job, lambda job: job.text),
    "training job": (JOBS[3], parse_job, lambda job: job.text),
    "certificate": (CERTIFICATE, parse_certificate, lambda certificate: certificate.text),
    "descriptor": (DESCRIPTOR, parse_descriptor, lambda descriptor: descriptor.to_text()),
    "approver file": (approver_file(Role.MODELER, APPROVER), parse_approver_file, None),
    "invitations": (
        invitations_text(STUDY_ID, DIGEST, Role.MODELER, {ID: DIGEST, bytes(16): DIGEST}),
        parse_invitations,
        None,
    ),
    "takeover": (
        takeover_text(Takeover(STUDY_ID, DIGEST, {ID: bytes(16), b"n" * 16: b"t" * 16})),
        parse_takeover,
        takeover_text,
    ),
    "deployment": (
        deployment_text(STUDY_ID, ID, NOW),
        parse_deployment,
        lambda read: deployment_text(*read),
    ),
    "revocation": (REVOCATION, parse_revocation, revocation_text),
    "revocation list": (REVOCATION_LIST, parse_revocation_list, revocation_list_text),
    "data": (
        data_text(STUDY_ID, STUDY.digest, [DataRow(ID, (0, 5120), 2)]),
        functools.partial(parse_data, configuration=STUDY),
        lambda rows: data_text(STUDY_ID, STUDY.digest, rows),
    ),
    "challenge": (CHALLENGE, parse_challenge, challenge_text),
    "approved body": (
        BODY,
        functools.partial(parse_approved_body, where="model", code="X"),
        lambda read: canonical_text({"body": read[0], "approval": read[1].to_json()}),
    ),
    "canonical": (STUDY.text, parse_canonical, canonical_text),
}
_BYTES = ("descriptor", "approver file", "challenge", "approved body", "canonical")
"""Readers that take bytes; the others take text."""
_EVERY_TEXT = [text.encode() for text, _, _ in _TEXTS.values()]


def _read(parse: Callable[[Any], Any], text: bytes | str) -> Any:
    try:
        return parse(text)
    except (UsageError, DecodeError) as refused:
        sentence, code = refused.sentence, refused.code
    assert sentence
    assert code == code.upper()
    return None


def _same(text: bytes | str, again: str) -> bool:
    raw = text.encode() if isinstance(text, str) else text
    return raw.rstrip(b"\r\n") == again.encode()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(_TEXTS))
def test_a_damaged_text_reads_as_the_same_text_or_is_refused(name: str) -> None:
    valid, parse, write = _TEXTS[name]
    assert _read(parse, valid) is not None

    @fuzzing(40)
    @given(damaged(valid.encode(), _EVERY_TEXT))
    def of_bytes(data: bytes) -> None:
        # In text, lone surrogates stand for bytes that are no UTF-8.
        for text in (data, data.decode("utf-8", "surrogateescape")):
            if isinstance(text, bytes) and name not in _BYTES:
                continue
            value = _read(parse, text)
            assert value is None or write is None or _same(text, write(value))

    @fuzzing(70)
    @given(damaged_json(json.loads(valid)))
    def of_values(value: Any) -> None:
        text = json_text(value)
        read = _read(parse, text)
        assert read is None or write is None or _same(text, write(read))

    of_bytes()
    of_values()


@fuzzing(100)
@given(
    st.binary(max_size=60)
    | st.text(st.characters(), max_size=40)
    | json_values().map(json_text)
    | json_values().map(json.dumps)
)
def test_canonical_json_is_read_in_one_form_only(data: bytes | str) -> None:
    value = _read(parse_canonical, data)
    if value is not None:
        assert canonical_bytes(value) == (data.encode() if isinstance(data, str) else data)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":['])
def test_a_deep_text_is_refused_soon(opening: bytes) -> None:
    """In processor time, which other processes don't lengthen: no false alarm under load."""
    started = time.process_time()
    assert _read(parse_canonical, opening * 200_000) is None
    assert _read(functools.partial(parse_model, configuration=STUDY), "[" * 200_000) is None
    assert time.process_time() - started < 5


@pytest.mark.parametrize("text", JOBS)
def test_a_job_replayed_as_another_kind_is_refused(text: str) -> None:
    value = json.loads(text)
    for kind in set(JobKind) - {JobKind(value["kind"])}:
        assert _read(parse_job, canonical_text({**value, "kind": kind.value})) is None


def test_an_approver_named_twice_is_refused() -> None:
    value = json.loads(DESCRIPTOR)
    value["approvers"] *= 2
    assert _read(parse_descriptor, canonical_text(value)) is None
