"""The groups that a policy compares, by name, and what a certification tells about each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from mpc_engine.control.policies.policy import MAX_CROSSED, Policy
from mpc_engine.control.policies.study_terms import Attribute
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError

MAX_GROUPS = 128
"""Groups in all groupings of a policy together."""
GroupName = tuple[tuple[str, str], ...]
"""A group: the name of the category that its members gave, for each attribute crossed."""
LEFT_OUT_WORDS = {True: "yes", False: "no", None: "not_told"}


@dataclass(frozen=True)
class GroupReport:
    """What is told about a group.

    ``left_out``: whether it is under the floor, None where the policy doesn't name such groups.
    ``counts``: `Policy.counts` of it, all 0 under the floor's number of people; empty where the
    policy opens no table.
    """

    group: GroupName
    left_out: bool | None
    counts: tuple[int, ...]

    def to_json(self) -> JsonObject:
        """Return the JSON form used in certificates and messages."""
        return {
            "group": [list(pair) for pair in self.group],
            "left_out": LEFT_OUT_WORDS[self.left_out],
            "counts": list(self.counts),
        }


def groupings_of(
    policy: Policy, attributes: tuple[Attribute, ...]
) -> tuple[tuple[Attribute, ...], ...]:
    """Return the attributes of each grouping; UsageError if one is not of the study."""
    known = {attribute.name: attribute for attribute in attributes}
    groupings = []
    for names in policy.groups:
        for name in names:
            if name not in known:
                raise UsageError(
                    f'The policy compares groups by "{name}", which is no attribute of the study.',
                    code="POLICY_GROUP_UNKNOWN",
                    where="policy.groups",
                )
        groupings.append(tuple(known[name] for name in names))
    return tuple(groupings)


def group_names(policy: Policy, attributes: tuple[Attribute, ...]) -> tuple[GroupName, ...]:
    """Return every group of every grouping; the last attribute's categories vary fastest."""
    return tuple(
        cell
        for grouping in groupings_of(policy, attributes)
        for cell in product(
            *(
                [(attribute.name, category.name) for category in attribute.categories]
                for attribute in grouping
            )
        )
    )


def read_group_report(fields: Fields) -> GroupReport:
    """Read what is told about a group; UsageError names the first fault."""
    group: list[tuple[str, str]] = []
    for pair in fields.items("group", 1, MAX_CROSSED):
        texts = [text for text in pair if isinstance(text, str)] if isinstance(pair, list) else []
        if len(texts) != 2 or not isinstance(pair, list) or len(pair) != 2:
            raise UsageError(
                f"{fields.where}.group must hold attributes with categories.", code=fields.code
            )
        group.append((texts[0], texts[1]))
    word = fields.choice("left_out", LEFT_OUT_WORDS.values())
    report = GroupReport(
        tuple(group),
        next(known for known, text in LEFT_OUT_WORDS.items() if text == word),
        tuple(fields.integers("counts")),
    )
    fields.end()
    return report
