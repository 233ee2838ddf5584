"""The comparison with SPU, without SPU: arguments, arithmetic, inputs and what is expected."""

from __future__ import annotations

import argparse
import re
from contextlib import nullcontext
from fractions import Fraction
from multiprocessing import Pipe
from pathlib import Path

import numpy as np
import pytest

from mpc_engine.lab.data_sets import Workload, synthetic
from mpc_engine.protocols.training.hyperparameters import BATCH_SIZE, Preset
from mpc_engine.protocols.training.plaintext import train_plaintext
from tools.bench import frames, peers
from tools.bench.parties import Pair, Run
from tools.bench.peer_works import (
    Figure,
    Work,
    covariance_case,
    descend,
    p_rule_case,
    step_inputs,
    works,
)
from tools.bench.spu_client import SpuPair, require_environment
from tools.bench.training import Problem

_ROOT = Path(__file__).resolve().parents[3]


def _parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    peers.add_arguments(parser)
    return parser.parse_args(words)


def test_five_repeats_over_the_loopback_unless_asked_otherwise() -> None:
    assert (_parsed().repeats, _parsed().link) == (5, None)
    asked = _parsed("--repeats", "2", "--steps", "64", "--link", "1gbit,10ms")
    assert (asked.repeats, asked.steps, asked.link.text) == (2, 64, "1gbit,10ms")


@pytest.mark.parametrize("words", [("--repeats", "0"), ("--steps", "-1"), ("--link", "fast")])
def test_what_cannot_be_measured_is_refused(words: tuple[str, str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        _parsed(*words)


def test_without_spu_one_is_told_how_it_comes(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"\./run bench peers.*Python 3\.11"):
        require_environment(tmp_path / "python")


def test_ratios_are_ours_divided_by_theirs_at_the_median() -> None:
    figures = {
        peers.OURS: [Figure(s, 3_000_000) for s in (0.004, 0.002, 0.9)],
        "SPU CHEETAH": [Figure(s, 1_000_000, 1.5) for s in (0.04, 0.01, 0.05)],
        "SPU SEMI2K": [Figure(s, 6_000_000) for s in (0.002, 0.002, 0.002)],
    }
    ours, cheetah, semi2k = peers.rows_of("a step", figures, signed=False)
    assert (ours["ms"], ours["ms, worst"], ours["MB"]) == (4.0, 900, 3.0)
    assert (ours["ratio of times"], ours["ratio of bytes"]) == (1.0, 1.0)
    assert cheetah["ratio of times"] == pytest.approx(0.1)
    assert (cheetah["ratio of bytes"], cheetah["compiling, s"]) == (3.0, 1.5)
    assert (semi2k["ratio of times"], semi2k["ratio of bytes"]) == (pytest.approx(2.0), 0.5)
    assert ours.keys() == cheetah.keys() == semi2k.keys()


class _Nothing:
    """Work that takes the same each time; ours tells of its base OTs."""

    def ours(self, pair: Pair) -> Figure:
        run = Run(None, None, 0.5, 0.07, 0.01, 1, 1, 1, 1, 1, 1)
        return Figure(0.4, 2, run=run)

    def theirs(self, spu: SpuPair) -> Figure:
        return Figure(0.8, 1, 2.0)


def test_what_our_times_leave_out_stands_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "require_environment", lambda: None)
    monkeypatch.setattr(peers, "works", lambda steps: [Work("nothing", False, _Nothing)])
    monkeypatch.setattr(peers, "spu_parties", lambda *_, **__: nullcontext())
    monkeypatch.setattr(peers, "parties", lambda link: nullcontext())
    report = peers.run(_parsed("--repeats", "2"))
    assert [(row["runs"], row["ms"]) for row in report.rows] == [(2, 400), (2, 800), (2, 800)]
    assert report.start_up == [
        {
            "work": "Blind Justice, nothing",
            "runs": 2,
            "ms, opening lines (TLS)": 10.0,
            "ms, base OTs": 70.0,
            "ms, first run": 500,
        }
    ]


def test_every_row_names_its_model_of_security() -> None:
    figures = {name: [Figure(1.0, 1)] for name in (peers.OURS, "SPU CHEETAH", "SPU SEMI2K")}
    for signed, ours in ((False, "semi-honest"), (True, "malicious modeler")):
        rows = peers.rows_of("work", figures, signed)
        assert rows[0]["security"] == f"{ours}, no dealer"
        assert rows[1]["security"] == "semi-honest, no dealer"
        assert "deals" in rows[2]["security"]


def test_three_kinds_of_work_are_compared() -> None:
    assert [(work.name.split(",")[0], work.signed) for work in works(1)] == [
        ("SGD step", False),
        ("covariance", True),
        ("p%-rule", True),
    ]


def test_frames_carry_arrays_of_any_type_and_a_header() -> None:
    own, other = Pipe()
    sent = {"a": np.arange(6).reshape(2, 3), "rows.1": np.array(0.5), "bits": np.array([True])}
    frames.send(own, {"work": "step", "runs": 2}, sent)
    header, arrays = frames.receive(other)
    assert header == {"work": "step", "runs": 2}
    assert arrays.keys() == sent.keys()
    assert all(np.array_equal(arrays[name], value) for name, value in sent.items())
    own.close()
    with pytest.raises(EOFError):
        frames.receive(other)


def test_a_frame_that_holds_objects_is_not_opened() -> None:
    own, other = Pipe()
    frames.send(own, {}, {"o": np.array([{}], dtype=object)})
    with pytest.raises(ValueError, match="allow_pickle"):
        frames.receive(other)


def test_steps_for_spu_are_those_of_our_training() -> None:
    small = Workload("small", 256, 5, 1, (3,), 0)
    n_steps = 32
    problem = Problem(small, synthetic(small), Preset.RECOMMENDED, n_steps * BATCH_SIZE / small.n)
    given = step_inputs(problem)
    oracle = train_plaintext(problem.spec, problem.rows, problem.targets, problem.entries)
    iterates = [descend(given, i + 1)[0] for i in sorted(problem.spec.averaged_steps)]
    _, multiplier = descend(given, n_steps)
    scale = 2.0**problem.spec.output_frac_bits
    assert np.abs(oracle.theta).max() / scale > 0.1
    assert np.allclose(np.mean(iterates, axis=0), oracle.theta / scale, atol=1e-3)
    assert np.allclose(multiplier, oracle.multipliers / scale, atol=1e-3)


def test_expected_verdicts_follow_from_rates_and_means() -> None:
    dice = np.random.default_rng(7)
    for _ in range(20):
        given, holds = p_rule_case(40, dice)
        selected = given["features"] @ given["theta"] + given["intercept"] >= 0
        rates = [
            Fraction(int(selected[given["group"] == g].sum()), int((given["group"] == g).sum()))
            for g in (1, 0)
        ]
        assert list(holds) == [
            rates[0] >= Fraction(4, 5) * rates[1],
            rates[1] >= Fraction(4, 5) * rates[0],
        ]
        given, within = covariance_case(40, dice)
        scores = given["centred"] @ given["theta"] / 40 / 2.0**24
        covariance = (given["group"] - given["group"].mean()) @ scores / 40
        assert bool(within) == (abs(covariance) <= 0.1)


def test_nothing_but_the_benchmark_imports_spu() -> None:
    imports = re.compile(r"^\s*(import|from) (spu|jax)\b", re.MULTILINE)
    folders = ("mpc_engine", "blindjustice_web", "demo", "docker", "tests", "tools")
    found = {
        path.relative_to(_ROOT).as_posix()
        for folder in folders
        for path in (_ROOT / folder).rglob("*.py")
        if imports.search(path.read_text("utf-8"))
    }
    assert found == {"tools/bench/spu_programs.py", "tools/bench/spu_server.py"}
