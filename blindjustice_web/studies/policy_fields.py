"""The fields of the policy editor: as posted, as text; to and from a policy's terms.

The engine alone judges what they say; here its faults are led back to the field that has them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from blindjustice_web.engine import engine_policies
from blindjustice_web.engine.engine_policies import PolicyPreset, PolicyTerms, TermsFault
from blindjustice_web.lib.labels import (
    Bound,
    Comparison,
    CriterionName,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
)

EACH, PAIRS, LISTED = "each", "pairs", "listed"
SCOPES = (EACH, PAIRS, LISTED)
"""Groups by every attribute; also by every two, and by all of them crossed; as listed."""
TEXTS = (
    "kind",
    "questions",
    "comparison",
    "scope",
    "groups",
    "minimum_group",
    "minimum_decided",
    "minimum_percent",
    "small_groups",
    "missing_answers",
    "disclosure",
    "minimum_answers",
    "question_bits_limit",
)
WHOLE_NUMBERS = ("questions", "minimum_group", "minimum_decided", "minimum_answers")
ATTRIBUTE = ("title", "question", "name", "categories")
LABEL = ("name", "title", "favourable", "unfavourable")
MOST_ROWS = 40
"""Rows of one kind that are read; the engine takes fewer and says so."""
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_CROSS = re.compile(r"\s*[×*,]\s*|\s+x\s+|\s+", re.ASCII)


@dataclass(frozen=True)
class CriterionRow:
    """A criterion as typed; without one it is left out."""

    criterion: str = ""
    thresholds: str = ""
    certify_at: str = ""


@dataclass(frozen=True)
class AttributeRow:
    """An attribute as typed, its answers one a line; with nothing in it, it is left out.

    Without a question people read the title.
    """

    title: str = ""
    question: str = ""
    name: str = ""
    categories: str = ""


@dataclass(frozen=True)
class AboutFields:
    """What people are asked and what is decided, as typed."""

    attributes: tuple[AttributeRow, ...]
    label: Mapping[str, str]

    @classmethod
    def empty(cls) -> AboutFields:
        """Return the fields with nothing in them."""
        return cls((AttributeRow(),), dict.fromkeys(LABEL, ""))

    @classmethod
    def posted(cls, data: QueryDict) -> AboutFields:
        """Read the fields of a form."""
        columns = [data.getlist(f"attribute_{name}") for name in ATTRIBUTE]
        rows = (AttributeRow(*map(str.strip, row)) for row in zip(*columns, strict=False))
        label = {name: data.get(f"label_{name}", "").strip() for name in LABEL}
        return cls(tuple(rows)[:MOST_ROWS], label)

    @classmethod
    def of(cls, terms: PolicyTerms) -> AboutFields:
        """Return the fields that say what terms say."""
        value: dict[str, Any] = terms.to_json()
        return cls(
            tuple(
                AttributeRow(
                    row["title"],
                    row["question"],
                    row["name"],
                    "\n".join(f"{one['name']}: {one['title']}" for one in row["categories"]),
                )
                for row in value["attributes"]
            ),
            value["label"],
        )

    def to_json(self) -> dict[str, Any]:
        """Return what the fields say, in the form of a draft; short names are made from titles."""
        label = dict(self.label)
        return {
            "attributes": [
                {
                    "name": row.name or short_name(row.title),
                    "title": row.title,
                    "question": row.question or row.title,
                    "categories": [_category(line) for line in row.categories.splitlines() if line],
                }
                for row in self.attributes
                if row != AttributeRow()
            ],
            "label": {**label, "name": label["name"] or short_name(label["title"])},
        }


@dataclass(frozen=True)
class PolicyFields:
    """The fields of a policy, as typed."""

    criteria: tuple[CriterionRow, ...]
    kind: str = StudyKind.VERDICT.value
    questions: str = "2"
    comparison: str = Comparison.EACH_PAIR.value
    scope: str = EACH
    groups: str = ""
    minimum_group: str = "20"
    minimum_decided: str = "10"
    minimum_percent: str = "0"
    small_groups: str = SmallGroups.UNDETERMINED.value
    missing_answers: str = MissingAnswers.LEFT_OUT.value
    disclosure: str = Disclosure.VERDICT.value
    minimum_answers: str = "40"
    question_bits_limit: str = "64"

    @classmethod
    def posted(cls, data: QueryDict) -> PolicyFields:
        """Read the fields of a form."""
        columns = [data.getlist(name) for name in ("criterion", "thresholds", "certify_at")]
        rows = (CriterionRow(*map(str.strip, row)) for row in zip(*columns, strict=False))
        return cls(tuple(rows)[:MOST_ROWS], **{name: data.get(name, "").strip() for name in TEXTS})

    @classmethod
    def of(
        cls, policy: Mapping[str, Any], names: Sequence[str], question_bits: str
    ) -> PolicyFields:
        """Return the fields of a policy of a file; what it lacks stays as a new one starts."""
        told = {name: str(policy[name]) for name in TEXTS if name in policy and name != "groups"}
        rows = policy.get("criteria")
        listed = policy.get("groups")
        fields = cls(
            tuple(_row(row) for row in rows if isinstance(row, dict))
            if isinstance(rows, list)
            else (),
            **{**told, "question_bits_limit": question_bits},
        )
        if not isinstance(listed, list) or listed == _groups(EACH, names):
            return fields
        if listed == _groups(PAIRS, names):
            return replace(fields, scope=PAIRS)
        lines = [" × ".join(map(str, group)) for group in listed if isinstance(group, list)]
        return replace(fields, scope=LISTED, groups="\n".join(lines))

    def started(self, preset: PolicyPreset) -> PolicyFields:
        """Return these fields with those that a preset sets; its bits are allowed for."""
        filled = PolicyFields.of(preset.to_json(), (), self.question_bits_limit)
        bits = self.question_bits_limit
        enough = _WHOLE.fullmatch(bits) and int(bits) >= preset.question_bits
        return replace(
            filled,
            scope=PAIRS if preset.crosses else EACH,
            minimum_group=self.minimum_group,
            minimum_answers=self.minimum_answers,
            question_bits_limit=bits if enough else str(preset.question_bits),
        )

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the policy that the fields say, for attributes of these names, unjudged."""
        return {
            "kind": self.kind,
            "criteria": [self._criterion(row) for row in self.criteria if row.criterion],
            "comparison": self.comparison,
            "groups": self._listed() if self.scope == LISTED else _groups(self.scope, names),
            **{name: _number(getattr(self, name)) for name in WHOLE_NUMBERS},
            "minimum_percent": self.minimum_percent,
            "small_groups": self.small_groups,
            "missing_answers": self.missing_answers,
            "disclosure": self.disclosure,
        }

    def terms(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return the whole terms, unjudged, with what people are asked and what is decided."""
        return {
            "attributes": about["attributes"],
            "label": about["label"],
            "policy": self.to_json(names_of(about)),
            "question_bits_limit": _number(self.question_bits_limit),
        }

    def _criterion(self, row: CriterionRow) -> dict[str, Any]:
        known = _criterion_of(row)
        bound = known.bound if known else None
        tells_steps = self.disclosure == Disclosure.BRACKET and bound in (
            Bound.RATIO,
            Bound.DIFFERENCE,
        )
        limits = list(engine_policies.LADDER) if tells_steps else _split(row.thresholds)
        return {
            "criterion": row.criterion,
            "thresholds": limits,
            "certify_at": row.certify_at or (limits[0] if len(limits) == 1 else ""),
        }

    def _listed(self) -> list[list[str]]:
        lines = (line.strip() for line in self.groups.splitlines())
        return [[name for name in _CROSS.split(line) if name] for line in lines if line]


def judge(fields: PolicyFields, about: Mapping[str, Any]) -> PolicyTerms | dict[str, str]:
    """Return the terms that the fields say, or each field that is at fault and why, in words."""
    judged = engine_policies.judge_terms(fields.terms(about))
    if isinstance(judged, PolicyTerms):
        return judged
    faults = dict(_led_back(fault, fields) for fault in reversed(judged))
    if "attributes" in faults and fields.scope != LISTED:
        faults.pop("groups", None)  # they follow from what is asked
    return faults


def names_of(about: Mapping[str, Any]) -> list[str]:
    """Return the short names of what people are asked, as far as they are there."""
    rows = about["attributes"]
    named = [row.get("name") for row in rows if isinstance(row, dict)]
    return [name for name in named if isinstance(name, str)]


def short_name(title: str) -> str:
    """Return a machine name made of a title; empty if nothing of it can be kept."""
    plain = re.sub(r"[^a-z0-9]+", "_", unicodedata.normalize("NFKD", title).lower())
    trimmed = plain.strip("_")[:58]
    return trimmed if not trimmed or trimmed[0].isalpha() else f"n_{trimmed}"


def _led_back(fault: TermsFault, fields: PolicyFields) -> tuple[str, str]:
    """Return field and sentence of a fault; a refusal of a rule of its own keeps its words."""
    path = fault.where.removeprefix("policy.")
    field = re.split(r"[.\[]", path)[0] or "policy"
    position = re.match(r"criteria\[(\d+)\]", path)
    if position is not None:
        kept = [number for number, row in enumerate(fields.criteria) if row.criterion]
        number = kept[int(position[1])]
        has_words = fault.code.startswith("POLICY_")
        words = fault.sentence if has_words else _criterion_words(fields.criteria[number])
        return f"criteria.{number}", words
    if fault.code.startswith("POLICY_"):
        return field, fault.sentence
    return field, _words().get(field, fault.sentence)


def _criterion_of(row: CriterionRow) -> CriterionName | None:
    """Return the criterion that a row names, or None where it names none that there is."""
    return next((name for name in CriterionName if name == row.criterion), None)


def _criterion_words(row: CriterionRow) -> str:
    known = _criterion_of(row)
    if known is None:
        return _("Choose a criterion.")
    words = engine_policies.RANGES[known.bound][1]
    return _(
        "Limits are up to eight numbers in rising order (%(range)s), such as 0.5 or 80; the one "
        "that certifies must be among them."
    ) % {"range": _(words)}


def _words() -> dict[str, str]:
    """Return for each field what it takes."""
    people = _("A whole number from %(least)s to 1,000,000.")
    choose = _("Choose one.")
    return {
        "kind": choose,
        "questions": _("A whole number from 1 to %(most)s.")
        % {"most": engine_policies.MAX_QUESTIONS},
        "criteria": _("Choose one to eight criteria, each once."),
        "comparison": choose,
        "groups": _(
            "Name every comparison once, and in it one to four attributes, each by its short name; "
            "sixteen comparisons are the most."
        ),
        "minimum_group": people % {"least": engine_policies.MIN_GROUP},
        "minimum_decided": people % {"least": engine_policies.MIN_DECIDED},
        "minimum_answers": people % {"least": 1},
        "minimum_percent": _("A number from 0 to below 50, such as 2 or 2.5."),
        "small_groups": choose,
        "missing_answers": choose,
        "disclosure": choose,
        "question_bits_limit": _("A whole number from 8 to 10,000."),
        "attributes": _(
            "Name one to eight attributes: each needs a noun of up to 60 characters and two to "
            "sixteen answers, one a line, and short names (lower-case letters, digits, "
            "underscores) differ."
        ),
        "label": _("Say what is decided, and two different words for how it can come out."),
    }


def _groups(scope: str, names: Sequence[str]) -> list[list[str]]:
    return engine_policies.divisions(names, crossed=scope == PAIRS)


def _row(row: Mapping[str, Any]) -> CriterionRow:
    limits = row.get("thresholds")
    told = " ".join(map(str, limits)) if isinstance(limits, list) else ""
    return CriterionRow(str(row.get("criterion", "")), told, str(row.get("certify_at", "")))


def _category(line: str) -> dict[str, str]:
    match = re.fullmatch(r"\s*([a-z][a-z0-9_]*)\s*:\s*(.+?)\s*", line)
    if match:
        return {"name": match[1], "title": match[2]}
    return {"name": short_name(line), "title": line.strip()}


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"[\s,;]+", text) if part]


def _number(text: str) -> int | str:
    """Return a whole number, or the text as typed, which the engine then refuses."""
    return int(text) if _WHOLE.fullmatch(text) else text
