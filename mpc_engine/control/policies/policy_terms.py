"""A policy together with what it speaks about: attributes, the decision, what answers may tell.

An authority publishes these before a study exists; a study's configuration holds them all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.compared_groups import MAX_GROUPS, group_names
from mpc_engine.control.policies.policy import Policy, read_policy
from mpc_engine.control.policies.study_terms import (
    CODE,
    Attribute,
    Label,
    attribute_json,
    label_json,
    read_attributes,
    read_label,
)
from mpc_engine.control.texts.canonical import (
    JsonObject,
    JsonValue,
    canonical_text,
    parse_canonical,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError

MIN_QUESTION_BITS = 8
"""What a certification by one threshold costs, or more."""
MAX_QUESTION_BITS = 10_000
MAX_TERMS_BYTES = 1 << 16


@dataclass(frozen=True)
class PolicyTerms:
    """What is checked, of whom, about which decision; ``question_bits_limit`` is in bits."""

    policy: Policy
    attributes: tuple[Attribute, ...]
    label: Label
    question_bits_limit: int

    @property
    def n_groups(self) -> int:
        """Return how many groups the policy compares."""
        return len(group_names(self.policy, self.attributes))

    def to_json(self) -> JsonObject:
        """Return the fields of a configuration that these terms set."""
        return {
            "policy": self.policy.to_json(),
            "attributes": [attribute_json(attribute) for attribute in self.attributes],
            "label": label_json(self.label),
            "question_bits_limit": self.question_bits_limit,
        }


def read_policy_terms(value: Mapping[str, JsonValue]) -> PolicyTerms:
    """Read the terms; UsageError names the first fault, its ``where`` such as ``policy.groups``.

    DecodeError where they are too long or no Unicode.
    Names are checked as in a configuration: no two attributes, nor one and the decision, share one.
    """
    text = canonical_text(dict(value))
    return _read(Fields(parse_canonical(text, limit=MAX_TERMS_BYTES), "", code=CODE))


def terms_faults(value: Mapping[str, JsonValue]) -> list[UsageError]:
    """Return everything that is wrong with terms, field by field; errors as `read_policy_terms`.

    Of the policy only the first fault of some kinds, and of the whole once every field is right.
    """
    found: list[UsageError] = []
    try:
        text = canonical_text(dict(value))
        _read(Fields(parse_canonical(text, limit=MAX_TERMS_BYTES), "", code=CODE, found=found))
    except UsageError as error:
        found.append(error)
    return found


def _read(fields: Fields) -> PolicyTerms:
    attributes = read_attributes(fields.objects("attributes", 1, 8))
    label = read_label(fields.inner("label"))
    bits = read_question_bits(fields)
    terms = PolicyTerms(read_policy(fields.inner("policy")), attributes, label, bits)
    fields.end()
    if not fields.is_sound:
        return terms
    names = [*(attribute.name for attribute in attributes), label.name]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f'The name "{name}" is used twice.', code=CODE, where="attributes")
    check_policy(terms.policy, attributes, terms.question_bits_limit)
    return terms


def read_question_bits(fields: Fields) -> int:
    """Read how many bits all answers about a study's people may tell."""
    return fields.integer("question_bits_limit", MIN_QUESTION_BITS, MAX_QUESTION_BITS)


def check_policy(
    policy: Policy, attributes: tuple[Attribute, ...], question_bits_limit: int
) -> None:
    """Refuse groups that are not the study's, and a policy that could never be asked about."""
    groups = group_names(policy, attributes)
    if len(groups) > MAX_GROUPS:
        raise UsageError(
            f"The policy compares {len(groups)} groups; {MAX_GROUPS} are the most.",
            code="POLICY_TOO_MANY_GROUPS",
            where="policy.groups",
        )
    bits = certification_bits(policy, len(groups), policy.minimum_answers)
    if bits > question_bits_limit:
        raise UsageError(
            f"One certification can tell {math.ceil(bits)} bits or more under this policy; the "
            f"study's limit is {question_bits_limit}.",
            code="POLICY_ABOVE_QUESTION_LIMIT",
            where="question_bits_limit",
        )
