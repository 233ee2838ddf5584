"""Values in their one form: encoding.json, canonical.json, study.json."""

from __future__ import annotations

import json
import math
import unicodedata
from fractions import Fraction
from typing import Any

from tests.vectors.reference_envelope import digest
from tests.vectors.stream import Stream

NOT_NUMBERS = [
    "", " ", "nan", "NaN", "inf", "-Infinity", "abc", "1,5", "1 000", "1_000", "1/2", "0x10",
    "--1", "+-1", "1e", "e5", ".", "-", "+", "1.2.3", "1e401", "1e-401", "1e5000", "1e1.5",
    "\u0661", "\u22121", "\u00a01", "\ufeff1", "1" * 65, "true", "null", "[]", "1\x00",
]  # fmt: skip


def encoding_cases() -> dict[str, Any]:
    """Return the whole file."""
    return {
        "encode_value": [
            {
                "text": text,
                "unit": unit,
                "frac_bits": bits,
                "expected": str(math.floor(Fraction(text) * 2**bits / Fraction(unit) + HALF)),
            }
            for text, unit, bits in _chosen_values() + _drawn_values()
        ],
        "not_numbers": NOT_NUMBERS,
        "units_not_positive": ["0", "-1", "0.000", "-0"],
        "encode_feature": _features(),
        "shown_value": [
            {
                "x": math.floor(Fraction(text) * 2**bits / Fraction(unit) + HALF),
                "unit": unit,
                "frac_bits": bits,
                "expected": shown,
            }
            for text, unit, bits, shown in SHOWN
        ],
    }


HALF = Fraction(1, 2)

SHOWN = [
    ("22", "12", 8, "22"), ("39.5", "10", 8, "39.5"), ("-10.5", "0.5", 8, "-10.5"),
    ("0.1", "1", 8, "0.1"), ("-0.05", "0.1", 8, "-0.05"), ("0", "7.25", 0, "0"),
    ("1", "1", 8, "1"), ("1000", "1", 8, "1000"), ("0.004", "1e-3", 8, "0.004"),
    ("22.123", "12", 8, "22.13"), ("0.999", "1", 8, "1"), ("1234", "20000", 8, "1250"),
    ("5", "10", 0, "10"), ("-5", "10", 0, "0"),
]  # fmt: skip
"""As entered, unit, bits, as shown: the same unless there were more digits than are kept."""


def _chosen_values() -> list[tuple[str, str, int]]:
    texts = [
        "0", "-0", "+0", "1", "-1", "+1", "0.5", "-0.5", ".5", "5.", "-.5", "0.1", "-0.1", "1e3",
        "1E3", "1e+3", "1e-3", "-2.5e-7", "1e400", "-1e400", "1e-400", "  12 ", "\t7\r\n",
        "007", "123456789012345678901234567890.123456789", "0.001953125", "0.0019531249999",
        "-0.001953125", "-0.0019531250001", "0.998046875", "2147483647", "-2147483648",
    ]  # fmt: skip
    units = ["1", "12", "0.1", "1e-3", "3", "7.25", "1000000"]
    return [(text, unit, bits) for text in texts for unit in units for bits in (0, 8, 16)]


def _drawn_values() -> list[tuple[str, str, int]]:
    stream = Stream("encoding")
    drawn = []
    for _ in range(200):
        sign = ["", "-", "+"][stream.below(3)]
        whole = str(stream.below(10 ** (1 + stream.below(12))))
        decimals = f".{stream.below(10**9)}" if stream.below(2) else ""
        exponent = f"e{stream.below(41) - 20}" if stream.below(3) == 0 else ""
        unit = f"{1 + stream.below(999)}e{stream.below(7) - 3}"
        drawn.append((sign + whole + decimals + exponent, unit, stream.below(17)))
    return drawn


def _features() -> list[dict[str, Any]]:
    age = {"name": "age", "unit": "10", "minimum": "18", "maximum": "120"}
    change = {"name": "change", "unit": "0.01", "minimum": "-1.5", "maximum": "1.5"}
    rows: list[tuple[dict[str, str], str, int | None]] = [
        (age, "18", 461),
        (age, "120", 3072),
        (age, "35", 896),
        (age, "17.999999", None),
        (age, "120.0000000001", None),
        (change, "-1.5", -38400),
        (change, "-1.50000001", None),
        (change, "1.5e0", 38400),
    ]
    return [
        {"feature": feature, "text": text, "frac_bits": 8, "expected": expected}
        for feature, text, expected in rows
    ]


def canonical_cases() -> dict[str, Any]:
    """Return the whole file."""
    values: list[Any] = [
        {}, [], "", 0, -1, 2**53 - 1, -(2**53) + 1,
        {"b": 1, "a": [1, "x", {"z": "", "y": []}]},
        {"\uff21": 1, "\U0001f600": 2, "A": 3, "a": 4, "\u00e9": 5, "": 6, "aa": 7, "a\u0000": 8},
        {"10": 1, "9": 2, "__proto__": 3, "constructor": 4},
        "quote \" backslash \\ slash / \b\f\n\r\t \u0000 \u001f \u007f \u2028 \u2029",
        "caf\u0065\u0301 \u212b \ufb01",
        {"\u0065\u0301": 1, "f": 2},
        [[[[[[[[[[[["deep"]]]]]]]]]]]],
    ]  # fmt: skip
    return {
        "values": [{"value": value, "text": canonical_text(value)} for value in values],
        "refused_values": [
            1.5, 2**53, -(2**53), None, True, False, {"a": None}, [0.5],
            "\ud800", {"\udc00": 1}, {"\u00e9": 1, "\u0065\u0301": 2},
            [[[[[[[[[[[[["too deep"]]]]]]]]]]]]],
        ],
        "refused_texts": [
            "", " 1", "1 ", "{}\n", '{ "a":1}', '{"a": 1}', '{"b":1,"a":2}', '{"a":1,"a":1}',
            "1.0", "1e3", "-0", "01", "9007199254740992", "null", "true", "NaN", '"\\u0041"',
            '"\\/"', '"\\u00e9"', '"\u0065\u0301"', '"\\ud800"', "[1,]", "'a'", '{"a":1}x',
            '\ufeff{}', "[" * 14 + "]" * 14,
        ],
    }  # fmt: skip


def canonical_text(value: Any) -> str:
    """Return canonical JSON of values that are allowed (strings brought to NFC)."""
    return json.dumps(_composed(value), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _composed(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [_composed(item) for item in value]
    if isinstance(value, dict):
        return {_composed(name): _composed(item) for name, item in value.items()}
    return value


def study_cases() -> dict[str, Any]:
    """Return one configuration text with what every reader must make of it."""
    stream = Stream("configuration")
    parties = {}
    for role, name in (("modeler", "Lender \u00c9"), ("regulator", "Fair Credit Board")):
        parties[role] = {
            "name": name,
            "key_id": stream.bytes(16).hex(),
            "hpke_key": stream.bytes(1216).hex(),
            "signing_key": stream.bytes(32).hex(),
        }
    configuration = {
        "format": "bj2 configuration",
        "study_id": stream.bytes(16).hex(),
        "title": "Credit \u2013 2026",
        "purpose": "Checks that a credit model treats both age groups alike.",
        "retention_days": 365,
        "certificate_days": 180,
        **parties,
        "features": [
            {"name": "duration", "title": "Duration in months", "unit": "12", "minimum": "0",
             "maximum": "120"},
            {"name": "change", "title": "Change", "unit": "0.01", "minimum": "-1.5",
             "maximum": "1.5"},
        ],
        "x_frac_bits": 8,
        "theta_bits": 24,
        "theta_frac_bits": 16,
        "label": {"name": "credit", "title": "Credit", "favourable": "good credit",
                  "unfavourable": "bad credit"},
        "attributes": [
            {"name": "age", "title": "Age group", "question": "How old are you?",
             "categories": [
                {"name": "over_25", "title": "Over 25"},
                {"name": "up_to_25", "title": "25 or younger"}]},
            {"name": "region", "title": "Region", "question": "Where do you live?",
             "categories": [
                {"name": "north", "title": "North"}, {"name": "south", "title": "South"},
                {"name": "west", "title": "West"}]},
        ],
        "data_holder": "regulator",
        "data_source": "person",
        "inviter": "modeler",
        "policy": {
            "criteria": [
                {"criterion": "p_rule", "thresholds": ["70", "80", "90"], "certify_at": "80"},
                {"criterion": "acceptance_rate_difference", "thresholds": ["5", "10"],
                 "certify_at": "10"},
            ],
            "comparison": "each_pair", "groups": [["age"], ["region"]],
            "minimum_group": 10, "minimum_decided": 10, "minimum_percent": "0",
            "minimum_answers": 20, "small_groups": "undetermined",
            "missing_answers": "left_out", "disclosure": "verdict",
            "kind": "published", "questions": 2},
        "typed_challenge_limit": 20,
        "question_bits_limit": 64,
    }  # fmt: skip
    by_file = {**configuration, "data_source": "file"}
    return {
        "cases": [
            {
                "text": canonical_text(value),
                "digest": digest(
                    b"blindjustice/v1/configuration\0", canonical_text(value).encode()
                ).hex(),
                "category_counts": [3, 4],
                "data_holder": "regulator",
                "data_by_file": value is by_file,
                "feature_ranges": [[0, 2560], [-38400, 38400]],
                "party_keys": {
                    role: {"key_id": party["key_id"], "public_key": party["hpke_key"]}
                    for role, party in parties.items()
                },
            }
            for value in (configuration, by_file)
        ]
    }
