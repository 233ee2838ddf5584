"""What the fields of the policy editor offer, and what each choice means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from blindjustice_web.engine import engine_policies
from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.labels import (
    Bound,
    Comparison,
    CriterionName,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
    sentence_of,
    title_of,
)
from blindjustice_web.lib.named import Named
from blindjustice_web.studies.policies import in_force

MOST_OFFERED = 200
"""Published policies that a list of starts has room for."""
OWN = ""
"""The start of a policy that is neither a preset's nor a published one."""


@dataclass(frozen=True)
class Choice:
    """One of the options of a field, with what it means."""

    value: str
    label: str
    hint: str = ""


@dataclass(frozen=True)
class Start:
    """What the fields can be filled from."""

    value: str
    label: str
    about: str


def choices() -> dict[str, Any]:
    """Return the options of every field."""
    return {
        "starts": _starts(),
        "kind": _choices(StudyKind),
        "criteria": _criteria(),
        "comparison": _choices(Comparison),
        "scope": _scopes(),
        "small_groups": _choices(SmallGroups),
        "missing_answers": _choices(MissingAnswers),
        "disclosure": _choices(Disclosure),
    }


def _starts() -> list[tuple[str, list[Start]]]:
    """Return what the fields can be filled from, those that regulators published first."""
    published = [
        Start(
            policy.id,
            policy.title,
            _("Published by %(name)s.") % {"name": isolated(policy.regulator.name)},
        )
        for policy in in_force()[:MOST_OFFERED]
    ]
    presets = {
        "four_fifths": (
            _("80 % rule: the usual yardstick"),
            _(
                "The group that gets the favourable decision least often must get it at least 80 % "
                "as often as the one that gets it most often. Only decisions count, not scores."
            ),
        ),
        "nyc_ll144": (
            _("New York Local Law 144: impact ratios, all counts published"),
            _(
                "Each group, by every attribute, every two and all crossed, is compared with the "
                "one selected most often; groups with under 2 % of the answers are left out and "
                "named; the counts of every group are published, of one model. The law asks "
                "to publish these ratios and names no limit; certificates are given at 80 %. We "
                "have not confirmed the wording of the rule; check it before you publish."
            ),
        ),
        "equal_opportunity": (
            _("Equal opportunity: equally often for those who deserve it"),
            _(
                "Of the people whose known outcome is the favourable one, every two groups must "
                "get the favourable decision equally often, within 10 percentage points. It needs "
                "outcomes in the case data."
            ),
        ),
    }
    named = [Start(preset.name, *presets[preset.name]) for preset in engine_policies.PRESETS]
    own = Start(OWN, _("A policy of your own"), _("Every field below can be changed."))
    groups = [(_("Published by regulators"), published)] if published else []
    return [*groups, (_("Presets"), named), (_("Other"), [own])]


def _criteria() -> list[tuple[str, list[Named]]]:
    return [
        (sentence_of(bound), [Named.of(name) for name in CriterionName if name.bound is bound])
        for bound in (Bound.RATIO, Bound.DIFFERENCE, Bound.Z_TEST)
    ]


def _choices(words: type[StrEnum]) -> list[Choice]:
    return [Choice(word.value, capfirst(title_of(word))) for word in words]


def _scopes() -> list[Choice]:
    return [
        Choice("each", _("By every attribute by itself")),
        Choice("pairs", _("By every attribute, by every two crossed, and by all crossed")),
        Choice("listed", _("As listed")),
    ]
