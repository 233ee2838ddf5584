"""The modeler decides cases: its party signs a record of each decision, run as the party's user."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import mpc_engine
from mpc_engine.client.demo.stack import Stack
from mpc_engine.client.study import PublicStudy
from mpc_engine.control.decision_record import DecisionRecord, parse_decision_record
from mpc_engine.errors import ResourceError
from mpc_engine.roles import Role

TIME_LIMIT_S = 120
CASE_COLUMN = "case_id"


def decide_cases(
    stack: Stack,
    study: PublicStudy,
    certificate_id: bytes,
    cases: Mapping[str, Sequence[int]],
) -> dict[str, DecisionRecord]:
    """Return the verified decision record of each case (raw features by case id).

    Raises:
        ResourceError: the party's command failed (DECISIONS_FAILED), with its last words.
    """
    home = stack.party_folder(Role.MODELER)
    owner = home.stat()
    switch = os.geteuid() == 0 and owner.st_uid != 0
    folder = Path(tempfile.mkdtemp(prefix="decide-", dir=home / "tmp"))
    try:
        _write_cases(folder / "cases.csv", study, cases)
        if switch:
            for path in (folder, folder / "cases.csv"):
                os.chown(path, owner.st_uid, owner.st_gid)
        command = [
            sys.executable,
            *("-m", "mpc_engine.party", "--config", str(home / "party.toml"), "decide"),
            *("--study", study.configuration.study_id.hex()),
            *("--certificate", certificate_id.hex()),
            *("--csv", str(folder / "cases.csv"), "--out", str(folder / "records")),
        ]
        done = subprocess.run(
            command,
            cwd=folder,
            env=_environment(home),
            user=owner.st_uid if switch else None,
            group=owner.st_gid if switch else None,
            extra_groups=[] if switch else None,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT_S,
        )
        if done.returncode:
            raise ResourceError(
                f"The party's decide command failed: {done.stderr[-500:]}", code="DECISIONS_FAILED"
            )
        key = study.signing_keys[Role.MODELER]
        files = sorted((folder / "records").glob("*.json"))
        records = [parse_decision_record(json.loads(file.read_text()), key) for file in files]
        return {record.case_id: record for record in records}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_cases(path: Path, study: PublicStudy, cases: Mapping[str, Sequence[int]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([CASE_COLUMN, *(f.name for f in study.configuration.features)])
        writer.writerows([case_id, *row] for case_id, row in cases.items())


def _environment(home: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home / "tmp"),
        "PYTHONPATH": str(Path(mpc_engine.__file__).resolve().parent.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(home / "numba-cache"),
    }
