"""Trained models go from one study into another inside the modeler's party."""

from __future__ import annotations

from typing import Any

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.takeover import Takeover, takeover_text
from mpc_engine.roles import Role
from tests.builders.study_drafts import make_draft
from tests.engine.party.stories import certify, close, hand_in
from tests.engine.party.trained import stored_theta
from tests.engine.party.world import M, R, World

TRAINED, TAKEN = [b"1" * 16, b"2" * 16], [b"7" * 16, b"8" * 16]


def _order(
    world: World, study: Configuration, model_id: bytes, role: Role = M, **changes: Any
) -> dict[str, Any]:
    values = {"study_id": study.study_id, "configuration": study.digest}
    named = {"trained_as": dict(zip(TAKEN, TRAINED, strict=True))}
    text = takeover_text(Takeover(**{**values, **named, **changes}))
    (approval,) = world.approvals("takeover", text, [role])
    return {
        "study_id": study.study_id.hex(),
        "model_id": model_id.hex(),
        "text": text,
        "approval": approval,
    }


def _two_studies(world: World, **changes: Any) -> tuple[Configuration, Configuration]:
    """Return a study with two models of the modeler's party, and one that can certify."""
    first = world.open_study()
    hand_in(world, first, TRAINED[0], "0.25", "-0.001", intercept="1.5")
    hand_in(world, first, TRAINED[1], "0", "0.002")
    second = world.open_study(study_id=b"second study 16b", **changes)
    for number in range(3):
        world.submit(second, world.answer(second, number, answers=(number % 2, number % 3)))
    return first, second


def test_models_are_taken_over_and_certified_without_leaving_the_party(world: World) -> None:
    first, second = _two_studies(world)
    for trained, taken in zip(TRAINED, TAKEN, strict=True):
        message = world.order(M, "take_over_model", _order(world, second, taken))
        assert (message.kind, message.text("model_id")) == ("model_accepted", taken.hex())
        assert stored_theta(world, second, taken) == stored_theta(world, first, trained)
    outcome = close(world, second)[M].object("outcome")
    record_set = bytes.fromhex(str(outcome["record_set"]))
    for number, taken in enumerate(TAKEN):
        reports = certify(world, second, record_set, job_id=bytes([number]) * 16, model_id=taken)
        assert {report.kind for report in reports.values()} == {"job_result"}


def test_other_units_of_the_model_are_recoded(world: World) -> None:
    first, second = _two_studies(world, theta_frac_bits=14, theta_bits=24)
    world.order(M, "take_over_model", _order(world, second, TAKEN[0]))
    coarse, fine = stored_theta(world, second, TAKEN[0]), stored_theta(world, first, TRAINED[0])
    assert first.theta_frac_bits == 16
    assert coarse == [(value + 2) >> 2 for value in fine]


def test_the_same_takeover_again_changes_nothing(world: World) -> None:
    _, second = _two_studies(world)
    order = _order(world, second, TAKEN[0])
    assert [world.order(M, "take_over_model", order).kind for _ in range(2)] == [
        "model_accepted"
    ] * 2
    trained_as = {TAKEN[0]: TRAINED[1]}
    other = _order(world, second, TAKEN[0], trained_as=trained_as)
    assert world.order(M, "take_over_model", other).text("code") == "MODEL_ID_TAKEN"


def test_what_the_modeler_did_not_sign_is_refused(world: World) -> None:
    first, second = _two_studies(world)
    for order, code in (
        (_order(world, second, TAKEN[0], role=R), "APPROVAL_MISSING"),
        (_order(world, second, b"9" * 16), "MODEL_UNKNOWN"),
        (_order(world, second, TAKEN[0], trained_as={TAKEN[0]: b"5" * 16}), "MODEL_UNKNOWN"),
        (_order(world, second, TAKEN[0], study_id=first.study_id), "TAKEOVER_OTHER_STUDY"),
        (_order(world, second, TAKEN[0], configuration=first.digest), "TAKEOVER_OTHER_STUDY"),
        ({**_order(world, second, TAKEN[0]), "text": "{}"}, "TAKEOVER_INVALID"),
    ):
        message = world.order(M, "take_over_model", order)
        assert (message.kind, message.text("code")) == ("model_refused", code)
    order = _order(world, second, TAKEN[0])
    assert world.order(R, "take_over_model", order).text("code") == "NOT_FOR_THIS_PARTY"


def test_a_study_of_other_features_takes_no_model_over(world: World) -> None:
    row = {"title": "x", "unit": "12", "minimum": "0", "maximum": "9"}
    features = [{**row, "name": name} for name in ("duration", "income")]
    world.open_study()
    first = world.open_study(study_id=b"first study 16by")
    hand_in(world, first, TRAINED[0], "0.25", "-0.001")
    other = world.open_study(study_id=b"other study 16by", features=features)
    message = world.order(M, "take_over_model", _order(world, other, TAKEN[0]))
    assert message.text("code") == "MODEL_OTHER_FEATURES"


def test_a_model_is_not_taken_where_a_decision_means_something_else(world: World) -> None:
    label = make_draft()["label"]
    swapped = {"favourable": label["unfavourable"], "unfavourable": label["favourable"]}
    _, second = _two_studies(world, label={**label, **swapped})
    message = world.order(M, "take_over_model", _order(world, second, TAKEN[0]))
    assert message.text("code") == "MODEL_OTHER_FEATURES"
