"""Every order is carried out, by something that is loaded where orders arrive."""

from __future__ import annotations

import pytest

from mpc_engine.control.post.exchanges.about_jobs import RunJob
from mpc_engine.control.post.exchanges.about_parties import ReportStatus
from mpc_engine.control.post.table import ORDERS
from mpc_engine.party.worker.receive import CARRYING
from mpc_engine.party.zone.carrying import CARRIERS, carries_out
from mpc_engine.roles import Role
from tests.engine.hostile.specimens import APPROVAL, REVOCATION
from tests.engine.party.world import World

_ID = "ab" * 16


@pytest.mark.parametrize("kind", sorted(set(ORDERS) - {RunJob.kind}))
def test_every_kind_of_order_is_carried_out(kind: str) -> None:
    carrier = CARRIERS.get(ORDERS[kind])
    assert carrier is not None, f"nothing carries out {ORDERS[kind].__name__}"
    assert carrier.__module__ in {module.__name__ for module in CARRYING}


def test_an_order_is_carried_out_in_one_place() -> None:
    with pytest.raises(TypeError, match="carried out twice"):
        carries_out(ReportStatus)(lambda party, order: None)


@pytest.mark.parametrize(
    ("role", "kind", "payload"),
    [
        (Role.REGULATOR, "model", {"study_id": _ID, "model_id": _ID, "envelope": ""}),
        (Role.MODELER, "list_revocations", {}),
        (
            Role.MODELER,
            "sign_revocation",
            {
                "study_id": _ID,
                "certificate_id": _ID,
                "text": REVOCATION,
                "approval": APPROVAL.to_json(),
            },
        ),
    ],
)
def test_an_order_for_the_other_party_is_refused(
    world: World, role: Role, kind: str, payload: dict[str, object]
) -> None:
    assert world.order(role, kind, payload).text("code") == "NOT_FOR_THIS_PARTY"
