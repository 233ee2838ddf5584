"""Studies whose policy opens right decisions, and models judged by it."""

from __future__ import annotations

from typing import Any

from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.engine.engine_client import read_configuration
from blindjustice_web.studies.models import Study
from tests.builders.policies import criterion, named_groups
from tests.builders.study_drafts import attribute
from tests.web.drafts import draft
from tests.web.stories import World

P_RULE = criterion("p_rule", "50", "60", "70", "80", certify_at="80")
ACCURACY = criterion("accuracy_difference", "5", certify_at="5")
ORIGIN = attribute("origin", "Origin", "Where are you from?", here="Here", elsewhere="Elsewhere")
COUNTS = {"size": 90, "selected": 40, "true_positives": 30, "false_positives": 10}


def certifying(world: World, second: dict[str, Any] = ACCURACY, **policy: Any) -> Study:
    """Return a closed study on two attributes; its policy opens right decisions by age."""
    given = {"groups": [["age"]], "disclosure": "table", **policy}
    return world.closed(
        policy=named_groups(P_RULE, second, **given),
        attributes=[*draft()["attributes"], ORIGIN],
        question_bits_limit=10_000,
    )


def judged(world: World, study: Study, model_id: str, n_empty: int = 1) -> CertificationResult:
    """Return the result of a model; of the last groups nothing is counted."""
    configuration = read_configuration(study.configuration.text)
    policy = configuration.policy
    names = configuration.groups
    full, empty = [COUNTS[name] for name in policy.counts], [0 for _ in policy.counts]
    rows = [
        {
            "group": [list(pair) for pair in name],
            "left_out": "no",
            "counts": empty if last else full,
        }
        for name, last in zip(
            names, [number >= len(names) - n_empty for number in range(len(names))], strict=True
        )
    ]
    told = {"groups": rows} if policy.opens_table else {}
    world.judged_model(study, model_id, ("FAIL",) * len(policy.limits), **told)
    return CertificationResult.objects.get(model_id=model_id)
