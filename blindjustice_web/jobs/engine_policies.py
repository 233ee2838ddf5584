"""The door to the engine for policies: their words, their presets, what their limits mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from blindjustice_web.jobs.engine_client import Configuration
from mpc_engine.control.criteria import bound_of, is_stricter_above
from mpc_engine.control.policy import PolicyCriterion
from mpc_engine.control.policy_sentence import criterion_sentence as _criterion_sentence
from mpc_engine.control.policy_sentence import policy_sentences as _policy_sentences
from mpc_engine.control.presets import PRESETS

__all__ = [
    "bound_of",
    "criterion_sentence",
    "is_stricter_above",
    "policy_presets",
    "policy_sentences",
]


def policy_sentences(configuration: Configuration, translate: Callable[[str], str]) -> list[str]:
    """Return what a study's policy checks and tells, in plain sentences."""
    return _policy_sentences(
        configuration.policy, configuration.attributes, configuration.label, translate
    )


def criterion_sentence(
    configuration: Configuration, criterion: PolicyCriterion, translate: Callable[[str], str]
) -> str:
    """Return what one criterion asks of two groups, as part of a sentence."""
    return _criterion_sentence(criterion, configuration.label, translate)


def policy_presets() -> list[dict[str, Any]]:
    """Return the policies that the form of a study starts from."""
    return [
        {"name": preset.name, "crosses": preset.crosses, "policy": preset.to_json()}
        for preset in PRESETS
    ]
