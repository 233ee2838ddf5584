"""People for tests: both parties' held records, dealt as the browser deals them."""

from __future__ import annotations

from mpc_engine.sharing.dealing import deal_records, one_hot

__all__ = ["deal_records", "one_hot"]
