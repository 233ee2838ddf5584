"""Must-fail submissions whose keys or data do not fit the common block."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

from tests.vectors.reference_envelope import ROLES, Draft, digest
from tests.vectors.refusal_case import OTHER_ROLE, Change, refusal_case


def key_cases() -> list[dict[str, Any]]:
    """Key hashes, in each direction, for each role, at the first and the last entry."""

    def equal_hashes(entry: int, direction: int, source: int) -> Change:
        def change(made: Draft) -> None:
            hashes = made.hashes[entry]
            hashes[2 * direction + 1 - source] = hashes[2 * direction + source]

        return change

    def equal_keys(entry: int, direction: int) -> Change:
        def change(made: Draft) -> None:
            key = made.keys[entry][2 * direction]
            made.keys[entry][2 * direction + 1] = key
            made.hashes[entry][2 * direction + 1] = made.key_hash(entry, 2 * direction + 1, key)

        return change

    def wrong_key(entry: int, slot: int) -> Change:
        def change(made: Draft) -> None:
            made.keys[entry][slot] = bytes(16)

        return change

    def swapped_keys(entry: int, direction: int) -> Change:
        def change(made: Draft) -> None:
            keys = made.keys[entry]
            pair = slice(2 * direction, 2 * direction + 2)
            keys[pair] = keys[pair][::-1]

        return change

    def other_entry(entry: int, direction: int) -> Change:
        def change(made: Draft) -> None:
            pair = slice(2 * direction, 2 * direction + 2)
            made.keys[entry][pair] = made.keys[entry - 1][pair]

        return change

    def wrong_chosen(role: str, entry: int) -> Change:
        def change(made: Draft) -> None:
            made.chosen[role][entry] = bytes(16)

        return change

    def flipped_share(role: str, entry: int) -> Change:
        def change(made: Draft) -> None:
            made.shares[role][entry] ^= 1

        return change

    def unchosen_key(role: str, entry: int) -> Change:
        def change(made: Draft) -> None:
            slot = made.keys[entry].index(made.chosen[role][entry])
            made.chosen[role][entry] = made.keys[entry][slot ^ 1]

        return change

    cases = []
    for role in ROLES:
        sends = 0 if role == "regulator" else 1
        chooses = 1 - sends
        pair, sender, chosen = "KEY_PAIR_EQUAL", "SENDER_KEY_MISMATCH", "CHOSEN_KEY_MISMATCH"
        for entry in (0, 4):
            at = f", entry {entry}"
            for bit in (0, 1):
                cases += [
                    refusal_case(
                        f"hashes of the sent pair equal hash {bit}{at}",
                        role,
                        pair,
                        change=equal_hashes(entry, sends, bit),
                    ),
                    refusal_case(
                        f"hashes of the chosen pair equal hash {bit}{at}",
                        role,
                        pair,
                        change=equal_hashes(entry, chooses, bit),
                    ),
                    refusal_case(
                        f"sent key {bit} is wrong{at}",
                        role,
                        sender,
                        change=wrong_key(entry, 2 * sends + bit),
                    ),
                ]
            cases += [
                refusal_case(
                    f"sent keys are equal{at}", role, pair, change=equal_keys(entry, sends)
                ),
                refusal_case(
                    f"sent keys are swapped{at}", role, sender, change=swapped_keys(entry, sends)
                ),
                refusal_case(
                    f"chosen key is wrong{at}", role, chosen, change=wrong_chosen(role, entry)
                ),
                refusal_case(
                    f"chosen key is that of the other bit{at}",
                    role,
                    chosen,
                    change=unchosen_key(role, entry),
                ),
                refusal_case(
                    f"share's low bit is flipped{at}",
                    role,
                    chosen,
                    change=flipped_share(role, entry),
                ),
            ]
        cases.append(
            refusal_case(
                "sent keys are another entry's", role, sender, change=other_entry(1, sends)
            )
        )
    return cases


def data_cases() -> list[dict[str, Any]]:
    """The data-holder's tail: x and y, or the blind alone where they come by file."""

    def data(features: list[int], label: int, *, commit: bool) -> Change:
        def change(made: Draft) -> None:
            made.data = struct.pack(f"<{len(features)}iB", *features, label)
            if commit:
                made.common["commitment"] = digest(b"bj1 data", made.blind, made.data)

        return change

    def other_blind(made: Draft) -> None:
        made.blind = bytes(32)

    def bare_blind(made: Draft) -> None:
        made.common["commitment"] = digest(made.blind)

    def committed_data(made: Draft) -> None:
        made.common["commitment"] = digest(b"bj1 data", made.blind, struct.pack("<iB", 0, 1))

    def no_tail(made: Draft) -> None:
        made.blind = b""

    def added_data(made: Draft) -> None:
        made.data = struct.pack("<iB", 0, 1)

    def to_the_other_party(made: Draft) -> None:
        made.study = replace(made.study, data_holder=OTHER_ROLE[made.study.data_holder])

    ranges, label, commitment = "FEATURE_OUT_OF_RANGE", "LABEL_OUT_OF_RANGE", "COMMITMENT_MISMATCH"
    regulator: list[tuple[str, str, Change]] = [
        ("first value is below its range", ranges, data([-101, 0], 1, commit=True)),
        ("first value is above its range", ranges, data([101, 0], 1, commit=True)),
        ("last value is below its range", ranges, data([0, -1], 1, commit=True)),
        ("last value is above its range", ranges, data([0, 30721], 1, commit=True)),
        ("value is the least of 32 bits", ranges, data([-(2**31), 0], 1, commit=True)),
        ("outcome is none of the known", label, data([0, 0], 3, commit=True)),
        ("value differs from the commitment", commitment, data([-99, 0], 1, commit=False)),
        ("outcome differs from the commitment", commitment, data([-100, 0], 0, commit=False)),
        ("blind differs from the commitment", commitment, other_blind),
    ]
    modeler: list[tuple[str, str, Change]] = [
        ("value is above its range, at the modeler", ranges, data([10], 1, commit=True)),
        ("outcome is 255, at the modeler", label, data([0], 255, commit=True)),
        (
            "value differs from the commitment, at the modeler",
            commitment,
            data([1], 1, commit=False),
        ),
    ]
    size = "ENVELOPE_WRONG_SIZE"
    by_file: list[tuple[str, str, Change]] = [
        ("data by file: blind differs from the commitment", commitment, other_blind),
        ("data by file: commitment lacks its domain", commitment, bare_blind),
        ("data by file: commitment covers data too", commitment, committed_data),
        ("data by file: the data-holder is sent no blind", size, no_tail),
        ("data by file: the data-holder is sent data too", size, added_data),
        ("data by file: the blind went to the other party", size, to_the_other_party),
    ]
    return [
        *(refusal_case(name, "regulator", code, change=change) for name, code, change in regulator),
        *(
            refusal_case(name, "modeler", code, study="modeler", change=change)
            for name, code, change in modeler
        ),
        *(
            refusal_case(name, role, code, study=study, change=change)
            for study, role in (("file", "regulator"), ("file at modeler", "modeler"))
            for name, code, change in by_file
        ),
        refusal_case(
            "data by file: the party that holds no data is sent the blind",
            "modeler",
            size,
            study="file",
            change=to_the_other_party,
        ),
    ]
