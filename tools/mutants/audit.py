"""What is written down, stays as it was, and is read by the right side."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_AUDIT = "tests/web/test_audit.py"
_PAGE = "tests/web/test_audit_page.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "cases-in-the-modeler-s-log",
        "a modeler's audit log says nothing of single cases",
        "blindjustice_web/audit/services.py",
        "        modeler = None if kind in CASES else study.modeler_id",
        "        modeler = study.modeler_id",
        f"{_AUDIT}::test_cases_are_the_regulator_s_and_name_nobody",
    ),
    Mutant(
        "audit-log-of-everybody",
        "a member reads the entries of her own organisation's studies only",
        "blindjustice_web/audit/access.py",
        '    return AuditEntry.objects.filter(mine).order_by("-pk")',
        '    return AuditEntry.objects.order_by("-pk")',
        f"{_AUDIT}::test_each_reads_her_own",
    ),
    Mutant(
        "audit-rows-change",
        "the database refuses to change or delete an entry",
        "blindjustice_web/lib/append_only.py",
        "        for statement in _STATEMENTS[connection.vendor]:",
        "        for statement in ():",
        f"{_AUDIT}::test_the_database_refuses_too",
    ),
    Mutant(
        "audit-entry-without-transaction",
        "an entry is written in the transaction of the change it tells of",
        "blindjustice_web/audit/services.py",
        "    if not transaction.get_connection().in_atomic_block:",
        "    if False:",
        f"{_AUDIT}::test_an_entry_without_a_transaction_is_a_defect",
    ),
    Mutant(
        "challenger-s-organisation-logged",
        "the log never says who challenged a decision",
        "blindjustice_web/challenges/services.py",
        "    _note(EntryKind.CHALLENGE_OPENED, challenge, actor=Actor(ActorKind.PERSON))",
        "    _note(EntryKind.CHALLENGE_OPENED, challenge)\n    assert Actor and ActorKind",
        f"{_PAGE}::test_a_member_who_challenges_a_decision_is_a_person_in_the_log",
    ),
    Mutant(
        "audit-chain-forgets",
        "a changed entry no longer fits its digest",
        "blindjustice_web/audit/chain.py",
        '        "detail": entry.detail,',
        '        "detail": "",',
        f"{_AUDIT}::test_the_chain_is_intact_until_an_entry_is_changed",
    ),
    Mutant(
        "formulas-in-exports",
        "no cell of an export is a formula",
        "blindjustice_web/lib/csv_cells.py",
        "cell.lstrip(BLANKS).startswith(FORMULA_STARTS)",
        "False",
        f"{_PAGE}::test_a_cell_is_never_a_formula",
    ),
)
