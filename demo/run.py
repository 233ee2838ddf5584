"""Two studies on real data, driven as browsers drive them, and judged by what parties signed."""

from __future__ import annotations

from dataclasses import dataclass

from demo.adult import BOUND, fit_to_the_proxy, read_adult
from demo.cast import Cast
from demo.certifying import certify_all, gather, hand_in, sweep_of
from demo.challenging import challenge
from demo.expectations import FAIL
from demo.limits import CERTIFY_AT, FOUR_FIFTHS_PERCENT
from demo.plan import DIVISOR, Plan
from demo.report import DemoReport, Line, print_columns
from demo.sweep import C_LADDER, SweepRow
from demo.training import train
from demo.walk import Sight, leave_studies, main_sights


@dataclass(frozen=True)
class Played:
    """What there is to look at afterwards, and the sweep that the demo ends with."""

    sights: list[Sight]
    sweep: tuple[SweepRow, ...]


def play(cast: Cast, plan: Plan) -> Played:
    """Play everything."""
    report = cast.report
    report.head(
        "1. Train fair models without learning anybody's age",
        f"{len(plan.training)} people take part. The bank knows what it knows of its customers, "
        "but not who is over 25; the regulator knows neither. The two train together: "
        f"{len(C_LADDER)} models, each under another bound c on how much scores may go with age.",
    )
    plan, trained = train(cast, plan)
    report.head(
        f"2. Certify them on the {len(plan.held_out)} people who were not in training",
        f"{_who_passes(plan)} Another is the one that should fail, divided by {DIVISOR}: that "
        "would fool a limit on the covariance, but not the p%-rule.",
    )
    cohort = gather(cast, plan)
    ids = hand_in(cast, plan, cohort, trained.model_ids)
    judged = certify_all(cast, plan, cohort, ids)
    sweep = sweep_of(cast, plan, ids, judged)
    _print_known(plan, report)
    report.head(
        "3. Challenge decisions",
        "A person asks whether the certified model decided about her. The bank is honest once, "
        "then a decision is altered, then another model is put into use.",
    )
    challenge(cast, plan, cohort, ids, judged.certificate)
    report.head(
        "4. Why the covariance certifies nothing",
        "On the Adult data, in plain text and without any party.",
    )
    _show_the_proxy(report)
    report.head("5. Studies to look at", "A few people more take part in studies in other states.")
    left = leave_studies(cast, plan)
    sights = main_sights(cast, trained.cohort, cohort, judged.certificate) + left
    return Played(sights, sweep)


def _who_passes(plan: Plan) -> str:
    if plan.permuted:
        return (
            "They answer otherwise than is true (--permute-labels): the model trained under the "
            "strictest c should fail, and one fitted freely, without a look at anybody's age, "
            "should pass."
        )
    return (
        "The model trained under the strictest c should pass, and one fitted freely, without a "
        "look at anybody's age, should fail."
    )


def _print_known(plan: Plan, report: DemoReport) -> None:
    report.paragraph(
        "Known to the demo only, which plays everybody (accuracy and p%, among people in training "
        "and among those held out):"
    )
    rows = [["", "accuracy", "held out", "p%", "held out", "covariance", "off its floats by"]]
    rows += [
        [
            model.name,
            f"{100 * float(model.accuracy.in_training):.1f} %",
            f"{100 * float(model.accuracy.held_out):.1f} %",
            f"{float(model.accuracy.percent_in_training):.1f}",
            f"{float(model.measured.percent):.1f}",
            f"{float(model.measured.covariance):.4f}",
            f"{model.largest_score_error:.5f}",
        ]
        for model in plan.models
    ]
    print_columns([*rows, ["certified at", "", "", "", CERTIFY_AT, "", ""]], n_text=1)
    failing, divided = plan.model(FAIL), plan.divided
    changed = sum(a != b for a, b in zip(failing.decisions, divided.decisions, strict=True))
    report.paragraph(
        f"Divided, the {failing.name.lower()} decides {changed} of {len(plan.rows):,} cases "
        "otherwise (its coefficients are rounded), with a covariance near 0; the p%-rule looks at "
        "decisions and still fails it. No study is judged by the covariance."
    )


def _show_the_proxy(report: DemoReport) -> None:
    model = fit_to_the_proxy(read_adult())
    unequal = f"p% under {FOUR_FIFTHS_PERCENT}"
    found = unequal if model.percent < FOUR_FIFTHS_PERCENT else f"p% {model.percent:.1f}"
    report.say(
        f"A model with a covariance of {model.covariance:.4f} selects women at "
        f"{model.percent:.1f} % of the rate of men."
    )
    report.lines.append(Line(f"Adult, covariance at most {BOUND}", unequal, found))
