"""Keys announced after closing count only under the signatures the configuration names."""

from __future__ import annotations

from typing import Any

import pytest

from mpc_engine.client.study import fetch_study, wait_for_renewed_keys
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.errors import InvalidSignatureError, PeerTimeoutError
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import seeded_randomness

NEXT = HpkePrivateKey.generate(seeded_randomness(77))


def keys_page(site: Any) -> list[dict[str, str]]:
    found: list[dict[str, str]] = site.pages[f"{site.study.path}/configuration"]["keys"]
    return found


def test_renewed_keys_are_used_for_everything_but_answers(site: Any) -> None:
    keys = [party.announces(site.study, NEXT) for party in site.parties.values()]
    keys_page(site)[:] = keys
    study = wait_for_renewed_keys(site, site.study, timeout_s=1)
    for role, party in site.parties.items():
        assert study.sealing_keys[role] == (NEXT.key_id, NEXT.public_bytes)
        assert study.answer_keys[role][0] == party.sealing_key.key_id


def test_one_renewed_key_is_not_enough(site: Any) -> None:
    keys_page(site)[0] = site.parties[Role.MODELER].announces(site.study, NEXT)
    with pytest.raises(PeerTimeoutError, match="new keys"):
        wait_for_renewed_keys(site, site.study, timeout_s=0.1)


def test_key_that_the_site_put_in_is_found(site: Any) -> None:
    forged = dict(keys_page(site)[1])
    forged["body"] = forged["body"].replace(
        site.parties[Role.REGULATOR].sealing_key.public_bytes.hex(), NEXT.public_bytes.hex()
    )
    keys_page(site)[1] = forged
    with pytest.raises(InvalidSignatureError):
        fetch_study(site, site.study.configuration.study_id)


def test_signed_message_that_announces_no_key_of_this_study_is_found(site: Any) -> None:
    party = site.parties[Role.MODELER]
    other = party.says(
        "study_key",
        study_id=bytes(16).hex(),
        number=2,
        key_id=NEXT.key_id.hex(),
        hpke_key=NEXT.public_bytes.hex(),
    )
    keys_page(site)[0] = other
    with pytest.raises(InvalidSignatureError, match="another study"):
        fetch_study(site, site.study.configuration.study_id)
