"""The same work by SecretFlow SPU, in the same run on the same machine: times and bytes as ratios.

SPU runs from an environment of its own (`.venv-peers`, made at first use), two processes a
protocol, whose ring has 64 bits and 16 of them fractional. Ours, Cheetah and SEMI2K take turns with
fresh inputs, after a run of each that does not count; every output is compared with the oracle's or
NumPy's. Times are medians. Sharing of inputs is left out, compiling and base OTs are told apart; OT
extension, garbling and SPU's correlations are in. A step is the mean of a run of steps, A left out.
Bytes of SPU are the counter of its link (no TLS or HTTP in either), read in a run apart that is not
timed.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from tools.bench.link import Link, add_link_argument, link_remark
from tools.bench.parties import parties
from tools.bench.peer_works import Figure, Work, works
from tools.bench.report import Report, Row, add_repeats, at_least_one, milliseconds
from tools.bench.spu_client import Protocol, require_environment, spu_parties, spu_version
from tools.bench.start_up import start_up

OURS = "Blind Justice"
_SYSTEMS = {protocol: f"SPU {protocol}" for protocol in Protocol}
_MODELER_MALICIOUS = "malicious modeler, no dealer"
_SEMI_HONEST = "semi-honest, no dealer"
_DEALER = "semi-honest, party 0 deals"
_SECURITY = {_SYSTEMS[Protocol.CHEETAH]: _SEMI_HONEST, _SYSTEMS[Protocol.SEMI2K]: _DEALER}
_INSTRUCTIONS = ("aes", "avx", "avx2", "avx512f", "vaes")
_REMARKS = (
    "Ours includes TLS 1.3 and, in certification, the SHA-256 signature of the model; SPU has "
    "neither here. Ours is exact; SPU's steps round at 16 fractional bits, theta included (22 in "
    "ours), and its products may be off by one bit. SPU's certifications are in integers.",
    "The batch's rows, A and targets are shared in SPU's steps, which took less time there than "
    "rows that their holder keeps; features are their holder's in certification. In SPU nobody "
    "leaves the question unanswered.",
    "security: against one of two parties. SEMI2K's triples come from party 0 (SPU's "
    "TrustedFirstParty), which could open everything: it stands in for a dealer. SPU's field is "
    "FM64, Cheetah's transfers are Ferret's.",
    "ratios: ours / theirs; under 1 ours is better.",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take the number of runs, the steps of one and the line."""
    add_repeats(parser)
    parser.add_argument(
        "--steps", type=at_least_one, default=128, help="of a training run, whose mean step counts"
    )
    add_link_argument(parser)


def rows_of(work: str, figures: Mapping[str, Sequence[Figure]], signed: bool) -> list[Row]:
    """Return a row for each system: medians, and ours divided by theirs.

    ``figures``: of every run by system, ours among them; ``signed``: whether the work is one that
    ours holds against a malicious modeler.
    """
    middle = {
        name: (
            statistics.median(figure.seconds for figure in found),
            statistics.median(figure.n_bytes for figure in found),
        )
        for name, found in figures.items()
    }
    our_seconds, our_bytes = middle[OURS]
    return [
        {
            "work": work,
            "system": name,
            "security": _SECURITY.get(name, _MODELER_MALICIOUS if signed else _SEMI_HONEST),
            "runs": len(figures[name]),
            "ms": milliseconds(seconds),
            "ms, worst": milliseconds(max(figure.seconds for figure in figures[name])),
            "MB": n_bytes / 1e6,
            "ratio of times": our_seconds / seconds,
            "ratio of bytes": our_bytes / n_bytes,
            "compiling, s": max(figure.compile_seconds for figure in figures[name]),
        }
        for name, (seconds, n_bytes) in middle.items()
    ]


def _metered(protocol: Protocol, kinds: Sequence[Work]) -> list[Figure]:
    """Return a figure of each kind with bytes and compiling; what the first run sets up is out."""
    with spu_parties(protocol, metered=True) as spu:
        found = []
        for work in kinds:
            first = work.fresh().theirs(spu)
            second = work.fresh().theirs(spu)
            found.append(Figure(0.0, second.n_bytes, first.compile_seconds))
    return found


def _measure(
    kinds: Sequence[Work], repeats: int, link: Link | None
) -> dict[str, dict[str, list[Figure]]]:
    """Let all systems take turns at each kind of work; of each the first run does not count."""
    sent = {protocol: _metered(protocol, kinds) for protocol in Protocol}
    found: dict[str, dict[str, list[Figure]]] = {}
    with ExitStack() as stack:
        pair = stack.enter_context(parties(link))
        theirs = {
            protocol: stack.enter_context(spu_parties(protocol, link)) for protocol in Protocol
        }
        for number, work in enumerate(kinds):
            seen: dict[str, list[Figure]] = {name: [] for name in (OURS, *_SYSTEMS.values())}
            for _ in range(1 + repeats):
                task = work.fresh()
                seen[OURS].append(task.ours(pair))
                for protocol, spu in theirs.items():
                    metered = sent[protocol][number]
                    timed = Figure(
                        task.theirs(spu).seconds, metered.n_bytes, metered.compile_seconds
                    )
                    seen[_SYSTEMS[protocol]].append(timed)
            found[work.name] = seen
            print(f"{work.name}: done", flush=True)
    return found


def run(arguments: argparse.Namespace) -> Report:
    """Compare every kind of work."""
    require_environment()
    kinds = works(arguments.steps)
    found = _measure(kinds, arguments.repeats, arguments.link)
    counted = {
        work: {name: figures[1:] for name, figures in seen.items()} for work, seen in found.items()
    }
    rows = [
        row for work in kinds for row in rows_of(work.name, counted[work.name], signed=work.signed)
    ]
    start_ups = [_start_up(work, seen[OURS]) for work, seen in found.items()]
    about = f"SPU {spu_version()} from PyPI. The processor has: {_instructions()}."
    title = "The same work by SecretFlow SPU, all on this machine"
    return Report(title, rows, [link_remark(arguments.link), about, *_REMARKS], start_ups)


def _start_up(work: str, figures: Sequence[Figure]) -> Row:
    """Return what comes before our runs; SPU's compiling has a column in the table."""
    first, *runs = [figure.run for figure in figures if figure.run is not None]
    return start_up(f"{OURS}, {work}", first, runs)


def _instructions() -> str:
    """Return the vector and AES instructions that the figures of either side depend on."""
    flags = Path("/proc/cpuinfo").read_text("utf-8").split()
    return ", ".join(name for name in _INSTRUCTIONS if name in flags) or "none of AES, AVX"
