"""What holds after clocks were wrong, a store was set back, or a broker lost what it held."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "an-older-key-replaces-the-newer",
        "of a party's sealing keys the one with the highest number is handed out",
        "blindjustice_web/studies/services.py",
        '    if study.keys.filter(role=role, number__gt=message.integer("number")).exists():',
        "    if False:",
        "tests/web/test_study_keys.py::test_no_clock_tells_which_key_is_newer",
    ),
)
