"""The modeler's party at work: it signs a record of each decision."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence

from demo.party_command import party_desk
from demo.stack import Stack
from mpc_engine.client.study import PublicStudy
from mpc_engine.control.files.decision_record import DecisionRecord, parse_decision_record
from mpc_engine.roles import Role

CASE_COLUMN = "case_id"


def decide_by_command(
    stack: Stack,
    study: PublicStudy,
    certificate_id: bytes,
    cases: Mapping[str, Sequence[int]],
) -> dict[str, DecisionRecord]:
    """Return the verified decision record of each case (raw features by case id).

    Raises:
        ResourceError: the party's command failed, with its last words.
    """
    with party_desk(stack, Role.MODELER) as desk:
        out = desk.folder / "records"
        desk.run(
            *("decide", "--study", study.configuration.study_id.hex()),
            *("--certificate", certificate_id.hex()),
            *("--csv", desk.write("cases.csv", _as_csv(study, cases)), "--out", out),
        )
        key = study.signing_keys[Role.MODELER]
        files = sorted(out.glob("*.json"))
        records = [parse_decision_record(json.loads(file.read_text()), key) for file in files]
    return {record.case_id: record for record in records}


def _as_csv(study: PublicStudy, cases: Mapping[str, Sequence[int]]) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow([CASE_COLUMN, *(f.name for f in study.configuration.features)])
    writer.writerows([case_id, *row] for case_id, row in cases.items())
    return file.getvalue()
