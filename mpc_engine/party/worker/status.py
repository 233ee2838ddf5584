"""How a party is doing, in public terms."""

from __future__ import annotations

from mpc_engine.control.post.exchanges.about_parties import ReportStatus, Status
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.errors import EngineError
from mpc_engine.params import PROTOCOL_VERSION
from mpc_engine.party.line.code_digest import code_digest
from mpc_engine.party.worker.line_check import READY_FILE
from mpc_engine.party.zone.carrying import carries_out
from mpc_engine.party.zone.party import Party

_COUNTS = {
    "n_studies": "SELECT COUNT(*) FROM studies",
    "n_closed_studies": "SELECT COUNT(*) FROM studies WHERE state = 'CLOSED'",
    "n_shares": "SELECT COUNT(*) FROM shares",
    "n_refusals": "SELECT COALESCE(SUM(n), 0) FROM refusals",
    "n_models": "SELECT COUNT(*) FROM models",
    "n_certificates": "SELECT COUNT(*) FROM certificates",
    "n_revocations": "SELECT COUNT(*) FROM revocations",
    "n_challenges": "SELECT COUNT(*) FROM challenges",
    "n_stock_items": "SELECT COUNT(*) FROM stock WHERE state = 'READY'",
    "n_running_attempts": "SELECT COUNT(*) FROM attempts WHERE state = 'RUNNING'",
    "n_waiting_messages": "SELECT COUNT(*) FROM outbox",
}


def read_status(party: Party) -> JsonObject:
    """Return counts, versions, and whether the other party is known; no ids, nothing secret."""
    status: JsonObject = {
        "role": party.role.value,
        "name": party.config.name,
        "protocol_version": PROTOCOL_VERSION,
        "code_digest": code_digest().hex(),
        "address": party.config.address,
        "approvers": len(party.keys.approvers()),
        "ready": "yes" if (party.config.data_dir / READY_FILE).exists() else "no",
    }
    try:
        status["peer"] = party.peer().name
    except EngineError as error:
        status["peer"] = f"unknown ({error.code})"
    with party.database.reading() as connection:
        for name, query in _COUNTS.items():
            status[name] = int(connection.execute(query).fetchone()[0])
    return status


def report_status(party: Party) -> None:
    """Send the status to the web."""
    party.outbox.tell(Status(status=read_status(party)))


@carries_out(ReportStatus)
def _carry_out(party: Party, _order: ReportStatus) -> None:
    report_status(party)
