"""What a member checks before she signs a proposal; each check raises UsageError otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mpc_engine.client.study import PublicStudy
from mpc_engine.control.files.descriptor import PartyDescriptor
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.control.studies.configuration import parse_configuration
from mpc_engine.control.texts.canonical import parse_canonical
from mpc_engine.errors import UsageError
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

ADDED_FIELDS = {"study_id", "modeler", "regulator"}
"""What the parties' keys add to a draft."""


def drafted_configuration(
    draft: Mapping[str, Any], study_id: bytes, parties: Mapping[Role, PartyDescriptor]
) -> Callable[[str], None]:
    """Check that a configuration is the draft plus these parties' published keys, no more."""

    def check(text: str) -> None:
        value = parse_canonical(text)
        configuration = parse_configuration(text)
        kept = (
            {k: v for k, v in value.items() if k not in ADDED_FIELDS}
            if isinstance(value, dict)
            else {}
        )
        if kept != dict(draft) or configuration.study_id != study_id:
            raise UsageError(
                "The proposed study is not the drafted one.", code="PROPOSAL_DIFFERENT"
            )
        for role in Role:
            if configuration.party(role).signing_key != parties[role].signing_key:
                raise UsageError(
                    f"The study names another key of the {role.value} than its party publishes.",
                    code="PROPOSAL_DIFFERENT",
                )

    return check


def job_of(
    study: PublicStudy, kind: JobKind, *, model_id: str = "", record_set: str = ""
) -> Callable[[str], None]:
    """Check that a job is of this kind, on this study, this model and this set of records.

    For a training see `training_of`.
    """

    def check(text: str) -> None:
        spec = parse_job(text)
        stated = (spec.kind, spec.study_id, spec.configuration)
        meant = (kind, study.configuration.study_id, study.configuration.digest)
        if (
            stated != meant
            or spec.model_id.hex() != model_id
            or spec.record_set.hex() != record_set
        ):
            raise UsageError("The proposed job is not the one meant.", code="PROPOSAL_DIFFERENT")

    return check


def training_of(
    study: PublicStudy, settings: Mapping[str, Any], *, record_set: str, recipient: bytes
) -> Callable[[str], None]:
    """Check that a job trains with these settings on this set of records, sealed to this key.

    ``settings``: as `Member.propose_training` takes them; what the site fills in is not looked at.
    """

    def check(text: str) -> None:
        spec = parse_job(text)
        stated = (spec.kind, spec.study_id, spec.configuration, spec.record_set.hex())
        configuration = study.configuration
        meant = (JobKind.TRAINING, configuration.study_id, configuration.digest, record_set)
        terms = spec.training.to_json() if spec.training is not None else {}
        same = all(terms.get(name) == value for name, value in settings.items())
        if stated != meant or not same or spec.recipient != recipient:
            raise UsageError(
                "The proposed training is not the one meant.", code="PROPOSAL_DIFFERENT"
            )

    return check
