"""Training uses nothing twice: no tweak within a run, nothing at all over a cut run and its retry.

What is noted, and what must not be equal, is in `transcripts`; here the two sides run without the
parties' stores, over a line that is cut at every message in turn.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.tweak_plan import Protocol, steps_with_tweak
from mpc_engine.crypto.tweaked_hash import INSTANCE_BITS, HashDomain, TweakedHash, make_tweaks
from mpc_engine.errors import EngineError
from mpc_engine.ot.extension import RandomOTReceiver, RandomOTSender
from mpc_engine.protocols import session
from mpc_engine.protocols.training import matrix_layout, protocol
from mpc_engine.protocols.training.checkpoint import Checkpointing, TrainingState
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.row_sets import row_sets_of
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from mpc_engine.secure_ops import random_product, row_sums
from mpc_engine.testing.people import deal_records
from mpc_engine.testing.randomness import seeded_randomness
from mpc_engine.testing.twins import random_product as product_twin
from mpc_engine.testing.twins import row_sums as rows_twin
from mpc_engine.testing.twins import tweaked_hash as pairs_twin
from mpc_engine.testing.two_parties import run_two_parties
from mpc_engine.transport.channel import Channel
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope
from tests.engine.leakage.training_runs import SPEC as SMALL
from tests.engine.leakage.transcripts import Cut, Line, Transcript, note_material, repeats
from tests.engine.ot.ideal import use_ideal_base_ots
from tests.engine.protocols.running import job_context
from tests.engine.protocols.training_cases import (
    Phase,
    States,
    checkpointing,
    random_problem,
    run_with_checkpoints,
    sweep,
    train,
)
from tests.leak_search import RecordingRandomness

pytestmark = pytest.mark.slow

_PROBLEM = random_problem(np.random.default_rng(2), 6, 3, (3,))
_SPEC = _PROBLEM.spec(Phase(2, 1, 48, 6), Phase(1, 1, 48, 7), batch=4)
"""As wide as real runs: in rings of few bits equal blocks come by chance."""
_ODDS = replace(_SPEC, row_sets=row_sets_of(Constraint.EQUALISED_ODDS), bounds=_SPEC.bounds * 2)
_MINIBATCH = replace(_ODDS, scope=ConstraintScope.MINIBATCH)
_EACH = pytest.mark.parametrize(
    "spec", [_SPEC, _ODDS, _MINIBATCH], ids=["acceptance rate", "equalised odds", "minibatch"]
)
_RECEIVE_LIMIT_S = 5.0
_BESIDE = 1 << 40
"""Added to an attempt's number for the seeds of its second line."""


@pytest.fixture(scope="module", autouse=True)
def _kernels_are_compiled() -> None:
    """Compile before anybody waits: attempts have short limits."""
    train(_SPEC, _PROBLEM)


def _seeded(attempt: int, role: Role) -> Randomness:
    return seeded_randomness(10 * attempt + len(role.value))


def _attempt(
    patch: pytest.MonkeyPatch,
    number: int,
    cut: Cut | None = None,
    randomness: Callable[[int, Role], Randomness] = _seeded,
    points: Sequence[TrainingSpec] = (_SPEC,),
    *,
    start: States | None = None,
    kept: dict[Role, list[TrainingState]] | None = None,
    base_ots_are_ideal: bool = False,
) -> tuple[Line, list[NDArray[np.int64] | EngineError | None]]:
    """Run an attempt; return its line with all material, and how both sides ended.

    The modeler's end is the thetas of all points, (points, d). ``start`` holds the states of a
    checkpoint to go on from; those of the attempt go to ``kept``.
    """

    def checkpoints(role: Role) -> Checkpointing:
        return checkpointing(
            None if start is None else start[role],
            lambda state: None if kept is None else kept[role].append(state),
        )

    transcript = Transcript()
    line = Line(transcript, cut)
    records = dict(
        zip(Role, deal_records(_PROBLEM.answers, None, seeded_randomness(9)), strict=True)
    )
    for role in Role:
        transcript.drawn[role] = RecordingRandomness(randomness(number, role))
        transcript.drawn_beside[role] = RecordingRandomness(randomness(_BESIDE + number, role))

    def side(role: Role, channel: Channel) -> NDArray[np.int64] | EngineError | None:
        ctx: Any = job_context(role, channel)
        beside = replace(ctx.offline, rng=transcript.drawn_beside[role])
        ctx = replace(ctx, rng=transcript.drawn[role], offline=beside)
        try:
            if role is Role.MODELER:
                data = _PROBLEM.rows, _PROBLEM.labels
                run = train_as_modeler(ctx, points, records[role], *data, checkpoints(role))
                return np.stack(list(run))
            list(train_as_regulator(ctx, points, records[role], checkpoints(role)))
        except EngineError as error:
            channel.close()
            return error
        return None

    with patch.context() as inner:
        for blocks in (protocol, matrix_layout):
            inner.setattr(blocks, "_BLOCK_STEPS", 2)
        if base_ots_are_ideal:
            use_ideal_base_ots(inner)
        note_material(inner, transcript)
        ends = run_two_parties(
            lambda channel: side(Role.MODELER, channel),
            lambda channel: side(Role.REGULATOR, channel),
            channels=(
                line.end(Role.MODELER, _RECEIVE_LIMIT_S),
                line.end(Role.REGULATOR, _RECEIVE_LIMIT_S),
            ),
        )
    return line, list(ends)


@_EACH
def test_training_cut_at_every_message_uses_nothing_twice(
    spec: TrainingSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: dict[str, Any] = {"points": [spec]}
    whole, ends = _attempt(monkeypatch, 0, **run)
    theta = train(spec, _PROBLEM)[None]
    assert isinstance(ends[0], np.ndarray)
    assert ends[0].tolist() == theta.tolist()
    assert repeats(whole.transcript) == {}
    assert whole.transcript.deltas
    assert whole.transcript.labels
    assert min(whole.sent) > 40
    assert whole.base_ots
    for number, place in enumerate(whole.cuts()):
        ideal = place not in whole.base_ots
        run["base_ots_are_ideal"] = ideal
        cut, ends = _attempt(monkeypatch, 2 * number + 1, place, **run)
        assert isinstance(ends[0], EngineError), place
        assert ends[0].code, place
        is_last = place.line == 0 and place.at >= whole.n_messages - 2
        assert isinstance(ends[1], EngineError) or is_last, place
        again, ends = _attempt(monkeypatch, 2 * number + 2, **run)
        assert isinstance(ends[0], np.ndarray)
        assert ends[0].tolist() == theta.tolist()
        assert repeats(cut.transcript, again.transcript) == {}, place


@pytest.mark.parametrize("scope", ConstraintScope)
@pytest.mark.parametrize("constraint", [c for c in Constraint if c.depends_on_outcomes])
def test_training_cut_anywhere_goes_on_from_the_newest_common_checkpoint(
    constraint: Constraint, scope: ConstraintScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under constraints on outcomes, to the oracle's integers; every eighth message is cut."""
    sets = row_sets_of(constraint)
    spec = replace(_SPEC, row_sets=sets, bounds=_SPEC.bounds * len(sets), scope=scope)
    oracle = train_plaintext(spec, _PROBLEM.rows, _PROBLEM.labels, _PROBLEM.answers).theta
    given: dict[str, Any] = {"points": [spec], "base_ots_are_ideal": True}
    whole, _ = _attempt(monkeypatch, 0, **given)
    gone_on = set()
    for number, place in enumerate(list(whole.cuts())[::8]):
        kept: dict[Role, list[TrainingState]] = {role: [] for role in Role}
        cut, ends = _attempt(monkeypatch, 2 * number + 1, place, kept=kept, **given)
        assert isinstance(ends[0], EngineError), place
        both = set.intersection(*({state.step for state in kept[role]} for role in Role))
        step = max(both, default=0)
        found = {role: [s for s in kept[role] if s.step == step] for role in Role}
        start = {role: states[0] for role, states in found.items()} if step else None
        again, ends = _attempt(monkeypatch, 2 * number + 2, start=start, **given)
        assert isinstance(ends[0], np.ndarray)
        assert ends[0].tolist() == [oracle.tolist()], place
        assert repeats(cut.transcript, again.transcript) == {}, place
        gone_on.add(step)
    assert len(gone_on) > 1


def test_the_points_of_a_sweep_share_no_material(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same point twice among them: equal runs, and still nothing of one serves the other."""
    points = [replace(_SPEC, bounds=(bound,)) for bound in (655, 0, 655)]
    line, ends = _attempt(monkeypatch, 0, points=points)
    assert isinstance(ends[0], np.ndarray)
    assert ends[0].tolist() == [train(point, _PROBLEM).tolist() for point in points]
    assert ends[1] is None
    assert repeats(line.transcript) == {}
    single, _ = _attempt(monkeypatch, 1)
    assert line.n_messages > 2 * single.n_messages
    assert len(line.transcript.deltas) == len(single.transcript.deltas)


def test_a_sweep_cut_in_its_second_point_and_its_retry_share_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = [replace(_SPEC, bounds=(bound,)) for bound in (655, 0)]
    whole, _ = _attempt(monkeypatch, 0, points=points)
    last = [Cut(n - at, line) for line, n in enumerate(whole.sent) for at in range(1, 30, 7)]
    for number, place in enumerate(last):
        cut, ends = _attempt(monkeypatch, 2 * number + 1, place, points=points)
        assert isinstance(ends[0], EngineError)
        again, ends = _attempt(monkeypatch, 2 * number + 2, points=points)
        assert isinstance(ends[0], np.ndarray)
        assert repeats(cut.transcript, again.transcript) == {}, place


def test_attempts_that_go_on_from_one_checkpoint_use_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first run, one that goes on and is cut at each message in turn, and one that ends."""
    theta = train(_SPEC, _PROBLEM)
    kept: dict[Role, list[TrainingState]] = {role: [] for role in Role}
    first, _ = _attempt(monkeypatch, 0, kept=kept)
    start = {role: kept[role][0] for role in Role}
    assert {state.step for state in start.values()} == {2}
    whole, ends = _attempt(monkeypatch, 1, start=start)
    assert whole.n_messages < first.n_messages
    assert isinstance(ends[0], np.ndarray)
    assert ends[0].tolist() == [theta.tolist()]
    assert repeats(first.transcript, whole.transcript) == {}
    for number, place in enumerate(whole.cuts()):
        given: dict[str, Any] = {
            "start": start,
            "base_ots_are_ideal": place not in whole.base_ots,
        }
        cut, ends = _attempt(monkeypatch, 2 * number + 2, place, **given)
        assert isinstance(ends[0], EngineError), place
        again, ends = _attempt(monkeypatch, 2 * number + 3, **given)
        assert isinstance(ends[0], np.ndarray)
        assert ends[0].tolist() == [theta.tolist()]
        assert repeats(first.transcript, cut.transcript, again.transcript) == {}, place


def _same_seed(_: int, role: Role) -> Randomness:
    return seeded_randomness(len(role.value))


def test_a_retry_from_the_same_seed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    cut, _ = _attempt(monkeypatch, 1, Cut(40), _same_seed)
    again, _ = _attempt(monkeypatch, 2, None, _same_seed)
    found = repeats(cut.transcript, again.transcript)
    assert {"draw", "block on the wire", "delta", "delta and tweak", "label"} <= set(found)


def test_a_retry_under_the_same_hash_key_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_session_id", lambda ctx: hashlib.sha256(b"job").digest())
    cut, _ = _attempt(monkeypatch, 1, Cut(40))
    again, _ = _attempt(monkeypatch, 2)
    found = repeats(cut.transcript, again.transcript)
    assert {"hash key", "circuit instance", "tweak under a hash key"} <= set(found)


@pytest.mark.parametrize("scope", ConstraintScope)
@pytest.mark.parametrize("constraint", [Constraint.ACCEPTANCE_RATE, Constraint.EQUALISED_ODDS])
@pytest.mark.parametrize("goes_on", [False, True], ids=["anew", "from a checkpoint"])
def test_no_tweak_is_used_for_more_blocks_than_one_wire_or_transfer_has(
    goes_on: bool,
    constraint: Constraint,
    scope: ConstraintScope,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two blocks share a tweak as the two labels or keys of one wire; those of products none.

    Over two points of a sweep, which run in one session under one hash key.

    The two extensions count their transfers apart, each under its own delta. Every tweak is one
    step's in the plan of tweaks.
    """
    problem = random_problem(np.random.default_rng(2), 4, 3, (3,), 1)
    sets = row_sets_of(constraint)
    spec = replace(SMALL, x_frac_bits=1, row_bound=100, x_bound=100)
    spec = replace(spec, row_sets=sets, bounds=(0,) * len(sets), scope=scope)
    start = run_with_checkpoints(spec, problem)[1][1] if goes_on else None
    for blocks in (protocol, matrix_layout):
        monkeypatch.setattr(blocks, "_BLOCK_STEPS", 1)
    used: dict[str, dict[str, Counter[tuple[int, int, int]]]] = {
        side: defaultdict(Counter) for side in ("party-a", "party-b")
    }
    here, counting = threading.local(), threading.Lock()

    def note(tweaks: NDArray[np.uint64]) -> None:
        counters = used[threading.current_thread().name.split()[0]]
        with counting:
            for low, high in tweaks.tolist():
                domain = HashDomain(high >> INSTANCE_BITS).name
                counters[domain][(getattr(here, "extension", 0), low, high)] += 1

    honest = TweakedHash.__call__

    def noting_hash(self: Any, blocks: Any, domain: HashDomain, instance: Any, index: Any) -> Any:
        note(make_tweaks(len(blocks), domain, instance, index))
        return honest(self, blocks, domain, instance, index)

    monkeypatch.setattr(TweakedHash, "__call__", noting_hash)
    monkeypatch.setattr(TweakedHash, "pairs", pairs_twin.pairs)
    extensions: list[object] = []
    for kind in (RandomOTSender, RandomOTReceiver):
        extend = kind.extend

        def within(self: Any, given: Any, extend: Any = extend) -> Any:
            if not any(self is known for known in extensions):
                extensions.append(self)
            here.extension = 1 + next(i for i, known in enumerate(extensions) if known is self)
            try:
                return extend(self, given)
            finally:
                here.extension = 0

        monkeypatch.setattr(kind, "extend", within)
    for module, twin, names in (
        (random_product, product_twin, ("send_elements", "recv_elements")),
        (row_sums, rows_twin, ("send_rows", "recv_rows")),
    ):
        for name in names:
            monkeypatch.setattr(module, name, getattr(twin, name))
        stream = twin.stream

        def watched(blocks: Any, tweaks: Any, round_keys: Any, stream: Any = stream) -> Any:
            note(tweaks)
            return stream(blocks, tweaks, round_keys)

        monkeypatch.setattr(twin, "stream", watched)
    if start is None:
        sweep([spec, replace(spec, bounds=(3,) * len(sets))], problem)
    else:
        run_with_checkpoints(spec, problem, start)
    products = {HashDomain.PRODUCT_SEED.name, HashDomain.PRODUCT_PAD.name}
    for side, counters in used.items():
        assert products | {HashDomain.LABEL.name, HashDomain.RANDOM_OT.name} <= set(counters), side
        for domain, counter in counters.items():
            assert max(counter.values()) <= (1 if domain in products else 2), (side, domain)
            for _, low, high in counter:
                assert len(steps_with_tweak(Protocol.TRAINING, low, high)) == 1, (side, domain)
