"""The group layer refuses every point outside the prime-order subgroup."""

from __future__ import annotations

import pytest
from nacl import bindings

from mpc_engine.errors import ProtocolViolationError
from mpc_engine.ot import group
from mpc_engine.testing.randomness import seeded_randomness
from tests.engine.ot.bad_points import BAD_POINTS, TORSION


@pytest.fixture
def scalar() -> bytes:
    return group.draw_scalar(seeded_randomness(1))


@pytest.mark.parametrize("point", BAD_POINTS, ids=bytes.hex)
def test_a_bad_point_is_refused_when_checked_and_when_multiplied(
    point: bytes, scalar: bytes
) -> None:
    with pytest.raises(ProtocolViolationError):
        group.check_point(point)
    with pytest.raises(ProtocolViolationError):
        group.multiply_point(scalar, point)


@pytest.mark.parametrize("torsion", TORSION[1:])
def test_a_good_point_shifted_by_a_small_one_is_refused(torsion: str, scalar: bytes) -> None:
    shifted = bindings.crypto_core_ed25519_add(group.multiply_base(scalar), bytes.fromhex(torsion))
    with pytest.raises(ProtocolViolationError):
        group.check_point(shifted)
    with pytest.raises(ProtocolViolationError):
        group.multiply_point(scalar, shifted)


def test_hashed_points_are_valid_and_depend_on_every_bit_of_the_input() -> None:
    inputs = [b"", b"\0", b"a", b"b", bytes(100)]
    points = [group.hash_to_point(data) for data in inputs]
    for point in points:
        group.check_point(point)
    assert len(set(points)) == len(inputs)


def test_arithmetic_is_that_of_a_group(scalar: bytes) -> None:
    point = group.multiply_base(scalar)
    other = group.hash_to_point(b"other")
    assert group.multiply_point(
        scalar, group.subtract_points(group.add_points(point, other), other)
    ) == (group.multiply_point(scalar, point))
