"""Many synthetic people through real parties: sealed shares, receipts, closing, certification.

Both parties run as separate worker processes on a Redis of their own. Envelopes are made like a
browser makes them and staged; the clock of intake runs from their release to the last receipt,
batch by batch, so that making them is not counted. Closing and certification are real jobs. Of each
stage the table tells how many cores both parties' processes used on average, and how many they
would have used if there had been enough: the time that they ran or waited for a core, over the
stage's.
Checked in the same run: two valid receipts a person, and a verdict equal to the oracle's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.post.exchanges.about_people import Receipt
from mpc_engine.control.post.messages import read_message
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.crypto.signatures import P256SigningKey
from mpc_engine.party.studies.known_study import envelope_layout
from mpc_engine.party.studies.protocol_terms import certification_spec
from mpc_engine.protocols.certification.plaintext import certify_in_the_clear
from mpc_engine.roles import Role
from mpc_engine.sharing.encoding import encode_value
from mpc_engine.sharing.submission import prepare_submission
from mpc_engine.testing.people import one_hot
from tests.engine.party.stories import MODEL_ID, certification_spec_text, closing_spec
from tests.engine.party.world import model_body, submission
from tests.services.party_workers import Workers
from tools.bench.party_stack import (
    Collector,
    make_world,
    peak_megabytes,
    processor_seconds,
    release,
    running_parties,
    running_redis,
    stage,
    web_app,
)
from tools.bench.report import Report, Row

_BATCH_PEOPLE = 5000
_PIECE_PEOPLE = 250
_LIMIT_S = 7200
_RNG = system_randomness()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the size of the cohort."""
    parser.add_argument("--n", type=int, default=100_000, help="people (default 100000)")
    parser.add_argument("--features", type=int, default=20)


@dataclass(frozen=True)
class Crowd:
    """Synthetic people: ``choices`` int (n, 1) with 2 = prefers not to say, encoded features."""

    choices: NDArray[np.int64]
    features: NDArray[np.int64]
    codes: dict[bytes, bytes]

    def __len__(self) -> int:
        return len(self.choices)


def _draw_crowd(n: int, n_features: int) -> Crowd:
    dice = np.random.default_rng()
    return Crowd(
        choices=dice.choice(3, size=(n, 1), p=[0.5, 0.4, 0.1]).astype(np.int64),
        features=dice.integers(-256, 257, (n, n_features)),
        codes={_record(number): _RNG.bytes(16) for number in range(n)},
    )


def _record(number: int) -> bytes:
    return hashlib.sha256(b"bench record" + number.to_bytes(8, "little")).digest()[:16]


def _draft(n_features: int) -> dict[str, Any]:
    names = [f"feature_{number}" for number in range(n_features)]
    return {
        "features": [
            {"name": name, "title": name, "unit": "1", "minimum": "-1", "maximum": "1"}
            for name in names
        ],
        "attributes": [
            {
                "name": "group",
                "title": "Group",
                "question": "Which group are you in?",
                "categories": [
                    {"name": "first", "title": "First"},
                    {"name": "second", "title": "Second"},
                ],
            }
        ],
        "policy": {
            "kind": "published",
            "questions": 16,
            "criteria": [
                {"criterion": "p_rule", "thresholds": ["80", "90"], "certify_at": "80"},
            ],
            "comparison": "each_pair",
            "groups": [["group"]],
            "minimum_group": 10,
            "minimum_decided": 10,
            "minimum_percent": "0",
            "minimum_answers": 20,
            "small_groups": "undetermined",
            "missing_answers": "left_out",
            "disclosure": "verdict",
        },
    }


def _stage_people(job: tuple[str, Configuration, Crowd, range]) -> int:
    """Make and stage the envelopes of some people, as browsers and the site would."""
    url, study, crowd, numbers = job
    app = web_app(url)
    keys = {role: (study.party(role).key_id, study.party(role).hpke_key) for role in Role}
    for number in numbers:
        sent = prepare_submission(
            envelope_layout(study),
            [int(value) for value in crowd.choices[number - numbers.start]],
            features=[int(value) for value in crowd.features[number - numbers.start]],
            label=None,
            record_id=_record(number),
            invitation_code=crowd.codes[_record(number)],
            sequence=0,
            owner_key=P256SigningKey.generate(_RNG),
            party_keys=keys,
            rng=_RNG,
        )
        for role in Role:
            stage(app, role, "submission", submission(study, sent, role))
    app.close()
    return len(numbers)


def _end_when_told() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _pieces(crowd: Crowd, batch: range) -> Iterator[tuple[Crowd, range]]:
    for start in range(batch.start, batch.stop, _PIECE_PEOPLE):
        piece = range(start, min(start + _PIECE_PEOPLE, batch.stop))
        codes = {_record(number): crowd.codes[_record(number)] for number in piece}
        rows = slice(piece.start, piece.stop)
        yield Crowd(crowd.choices[rows], crowd.features[rows], codes), piece


def _await(what: str, done: Callable[[], object], workers: Workers, seen: Collector) -> None:
    deadline = time.monotonic() + _LIMIT_S
    while not done():
        refused = seen.first_refusal()
        if refused:
            raise SystemExit(f"{what} did not happen: {refused}")
        if time.monotonic() > deadline or any(
            p.poll() is not None for p in workers.processes.values()
        ):
            raise SystemExit(f"{what} did not happen.")
        time.sleep(0.01)


@dataclass(frozen=True)
class _Took:
    """Seconds on the clock; of both parties' processes, seconds they ran and waited for a core."""

    seconds: float = 0.0
    ran: float = 0.0
    waited: float = 0.0

    @classmethod
    def until_now(cls, workers: Workers) -> _Took:
        """Return the clock, and what the parties' processes took so far."""
        processes = [
            process
            for role in Role
            for process in (workers.processes[role].pid, *workers.children(role))
        ]
        return cls(time.perf_counter(), *processor_seconds(processes))

    def since(self, before: _Took) -> _Took:
        """Return the difference."""
        return _Took(
            self.seconds - before.seconds, self.ran - before.ran, self.waited - before.waited
        )

    def plus(self, other: _Took) -> _Took:
        """Return the sum."""
        return _Took(self.seconds + other.seconds, self.ran + other.ran, self.waited + other.waited)


def _all_answered(seen: Collector, n_people: int) -> bool:
    """Return whether both parties said of so many people what became of their answers."""
    return all(
        sum(seen.counts[role][kind] for kind in ("receipt", "submission_refused")) >= n_people
        for role in Role
    )


def _take_in(
    url: str, study: Configuration, crowd: Crowd, workers: Workers, seen: Collector
) -> _Took:
    """Hand in everybody; return the time in which the parties worked at it."""
    took = _Took()
    forking = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, mp_context=forking, initializer=_end_when_told) as pool:
        for start in range(0, len(crowd), _BATCH_PEOPLE):
            batch = range(start, min(start + _BATCH_PEOPLE, len(crowd)))
            jobs = [(url, study, people, numbers) for people, numbers in _pieces(crowd, batch)]
            list(pool.map(_stage_people, jobs))
            before = _Took.until_now(workers)
            release(url)
            _await(
                f"the receipts of people up to {batch.stop}",
                partial(_all_answered, seen, batch.stop),
                workers,
                seen,
            )
            took = took.plus(_Took.until_now(workers).since(before))
            print(f"  {batch.stop} people, {batch.stop / took.seconds:.0f} a second", flush=True)
    return took


def _check_receipts(crowd: Crowd, workers: Workers, seen: Collector) -> None:
    """Demand exactly one valid receipt of each party for each person."""
    for role in Role:
        holders = []
        for values in seen.messages[role]:
            signature = bytes.fromhex(values["signature"])
            message = read_message(values["body"], signature, workers.world.signing_keys)
            if isinstance(message.content, Receipt):
                holders.append(message.content.record_id)
        if len(holders) != len(crowd) or set(holders) != set(crowd.codes):
            raise SystemExit(f"The {role.value}'s receipts are not one a person.")


def _run_job(
    kind: str, spec: str, workers: Workers, seen: Collector, receipts: bool
) -> tuple[_Took, dict[str, Any]]:
    """Run a job at both parties; return its time and the regulator's report."""
    before = {
        role: sum(seen.counts[role][k] for k in ("job_result", "job_failed")) for role in Role
    }
    own = {
        role: [
            v
            for v in seen.messages[role]
            if receipts and json.loads(v["body"])["kind"] == "receipt"
        ]
        for role in Role
    }
    started = _Took.until_now(workers)
    for role in Role:
        payload = {
            "spec": spec,
            "attempt": 0,
            "approvals": workers.world.approvals(kind, spec),
            "receipts": own[role.peer],
        }
        workers.order(role, "run_job", payload)
    _await(
        f"the {kind}",
        lambda: all(
            sum(seen.counts[role][k] for k in ("job_result", "job_failed")) > before[role]
            for role in Role
        ),
        workers,
        seen,
    )
    took = _Took.until_now(workers).since(started)
    bodies = [json.loads(values["body"]) for values in seen.messages[Role.REGULATOR]]
    report = [body for body in bodies if body["kind"] in ("job_result", "job_failed")][-1]
    if report["kind"] != "job_result":
        raise SystemExit(f"The {kind} failed: {report['code']} {report['sentence']}")
    return took, report


def run(arguments: argparse.Namespace) -> Report:
    """Play the whole study and return its times and memory."""
    crowd = _draw_crowd(arguments.n, arguments.features)
    with tempfile.TemporaryDirectory() as name, running_redis(Path(name)) as (url, broker):
        folder = Path(name) / "parties"
        folder.mkdir()
        world = make_world(folder, url)
        study = world.configure(**_draft(arguments.features))
        world.accept(study)
        world.codes = crowd.codes
        with running_parties(world, url) as workers:
            seen = Collector(url)
            seen.start()
            try:
                rows, remarks = _play(study, crowd, url, broker, workers, seen)
            finally:
                seen.end()
    return Report(
        f"{len(crowd)} people, {arguments.features} features, real parties", rows, remarks
    )


def _play(
    study: Configuration,
    crowd: Crowd,
    url: str,
    broker: int,
    workers: Workers,
    seen: Collector,
) -> tuple[list[Row], list[str]]:
    world, n = workers.world, len(crowd)
    for role in Role:
        workers.order(role, "invitations", world.invitations(study, role))
    _await(
        "the invitations",
        lambda: all(seen.counts[role]["invitations_accepted"] for role in Role),
        workers,
        seen,
    )
    rows: list[Row] = []

    def note(stage: str, took: _Took) -> None:
        rows.append(
            {
                "stage": stage,
                "seconds": round(took.seconds, 1),
                "people/s": round(n / took.seconds),
                "cores used": round(took.ran / took.seconds, 2),
                "cores wanted": round((took.ran + took.waited) / took.seconds, 2),
            }
        )
        print(f"{stage}: {took.seconds:.1f} s", flush=True)

    note("intake, both shares", _take_in(url, study, crowd, workers, seen))
    _check_receipts(crowd, workers, seen)
    took, closed = _run_job(
        "closing", closing_spec(world, study, time_limit_s=_LIMIT_S), workers, seen, receipts=True
    )
    note("closing", took)
    if (closed["outcome"]["n_records"], closed["outcome"]["n_invalid"]) != (n, 0):
        raise SystemExit("People were lost in closing.")
    record_set = bytes.fromhex(closed["outcome"]["record_set"])

    weights = np.random.default_rng().uniform(-1, 1, (crowd.features.shape[1],))
    coefficients = [f"{value:.4f}" for value in weights]
    _await("a new key", lambda: seen.counts[Role.MODELER]["study_key"], workers, seen)
    world.sent[Role.MODELER].extend(
        (values["body"], values["signature"])
        for values in seen.messages[Role.MODELER]
        if json.loads(values["body"])["kind"] == "study_key"
    )
    model = world.model_order(study, MODEL_ID, model_body(study, *coefficients, intercept="0.1"))
    workers.order(Role.MODELER, "model", model)
    _await("the model", lambda: seen.counts[Role.MODELER]["model_accepted"], workers, seen)
    took, certified = _run_job(
        "certification",
        certification_spec_text(world, study, record_set, time_limit_s=_LIMIT_S),
        workers,
        seen,
        receipts=False,
    )
    note("certification, both criteria", took)
    spec = certification_spec(study)
    theta = [encode_value("0.1", "1", spec.theta_frac_bits)]
    theta += [encode_value(value, "1", spec.theta_frac_bits) for value in coefficients]
    oracle = certify_in_the_clear(
        spec, one_hot(crowd.choices, spec.entry_counts), crowd.features, theta, bytes(32)
    )
    verdict = certified["outcome"]["verdict"]
    if verdict != oracle.verdict.value:
        raise SystemExit(f"The verdict is {verdict}, the oracle's {oracle.verdict.value}.")
    memory = []
    for role in Role:
        children = [peak_megabytes(process) for process in workers.children(role)]
        memory.append(f"{role.value} {max(children)} MB a slot")
    memory.append(f"Redis {peak_megabytes(broker)} MB")
    metrics = certified["metrics"]
    return rows, [
        f"verdict {verdict} = oracle; {2 * n} receipts, two valid ones a person",
        f"certification alone {metrics['elapsed_ms']} ms, "
        f"{(metrics['bytes_sent'] + metrics['bytes_received']) / 1e6:.0f} MB between the parties",
        "peak memory: " + ", ".join(memory),
    ]
