"""What keeps prepared material secret, bound, and used once."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_STORE = "mpc_engine/party/stock/store.py"
_EPOCH = "mpc_engine/party/zone/stock_epoch.py"
_AGREEMENT = "mpc_engine/party/stock/item_choice.py"
_FILLING = "mpc_engine/party/stock/filling.py"
_PREPARATION = "mpc_engine/protocols/verification/preparation.py"
_PROTOCOL = "mpc_engine/protocols/verification/protocol.py"
_TEST = "tests/engine/party/test_stock.py"
_OFFERS = "tests/engine/party/test_stock_offers.py"
_LOST = "tests/engine/party/test_stock_lost.py"
_MADE = "tests/engine/protocols/test_prepared_verification.py"
_NO_REPEAT = (
    "tests/engine/leakage/test_stock_no_repeat.py"
    "::test_a_prepared_verification_cut_at_every_message_uses_nothing_twice"
)

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "stock-used-twice",
        "an item is spent before its first use, and never taken again",
        _STORE,
        "        if row is None or not "
        'party.stock_epoch.claim(bound.certificate_id, row["number"]):\n'
        "            return None\n"
        "        connection.execute("
        "\"UPDATE stock SET state = 'SPENT' WHERE stock_id = ?\", (stock_id,))\n",
        "        if row is None:\n            return None\n",
        f"{_LOST}::test_two_jobs_at_one_moment_never_get_one_item",
    ),
    Mutant(
        "stock-from-a-copy",
        "a store put back under its worker uses no item again",
        _EPOCH,
        "        if number <= self.last_used(certificate_id):\n            return False\n",
        "",
        f"{_LOST}::test_forked_slots_share_the_mark",
    ),
    Mutant(
        "stock-outlives-its-worker",
        "no item is used by another worker than the one that made it",
        _STORE,
        "own = sha256(length_prefixed(_LABEL, common, party.stock_epoch.epoch_id))",
        "own = sha256(length_prefixed(_LABEL, common))",
        f"{_LOST}::test_no_item_outlives_its_worker",
    ),
    Mutant(
        "stock-of-other-code",
        "items are used by the code that made them only",
        _STORE,
        "            code_digest(),\n",
        "",
        f"{_TEST}::test_items_of_another_code_party_or_certificate_are_not_offered",
    ),
    Mutant(
        "stock-in-the-clear",
        "sides lie encrypted",
        _STORE,
        "sealed = party.cipher.seal(_PLACE, (bound.own, stock_id), side)",
        "sealed = side",
        f"{_OFFERS}::test_sides_lie_encrypted_and_nothing_of_them_in_the_clear",
    ),
    Mutant(
        "stock-for-any-job",
        "an item serves the job that both took it for",
        _AGREEMENT,
        'return sha256(length_prefixed(_LABEL, role.value.encode("ascii"), stock_id, job_digest))',
        'return sha256(length_prefixed(_LABEL, role.value.encode("ascii"), stock_id, b""))',
        f"{_OFFERS}::test_words_of_another_job_end_it_and_the_item_with_it",
    ),
    Mutant(
        "stock-not-offered",
        "only what the modeler offered is taken",
        _AGREEMENT,
        "if stock_id not in offered or word != _word(Role.REGULATOR, stock_id, job_digest):",
        "if word != _word(Role.REGULATOR, stock_id, job_digest):",
        "tests/engine/hostile/test_fuzz_stock.py"
        "::test_a_choice_for_this_job_that_was_not_offered_is_refused",
    ),
    Mutant(
        "stock-with-a-cheat",
        "after a failed check no more stock is made",
        _FILLING,
        "        party.stock_epoch.spoil()\n",
        "",
        f"{_OFFERS}::test_a_modeler_that_cheats_in_a_preparation_gets_no_item_and_no_further_one",
    ),
    Mutant(
        "stock-tables-unmasked",
        "no table is seen before the inputs of its circuit are fixed",
        _PREPARATION,
        "    return Prg(key).words(*tables.shape) ^ tables",
        "    return tables.copy()",
        f"{_MADE}::test_tables_go_out_masked",
    ),
    Mutant(
        "stock-key-too-early",
        "labels and the tables' key are given out when the modeler's inputs are fixed",
        _PROTOCOL,
        "    flipped = line.enter_late(item.flip_zero)\n"
        "    ctx.channel.send_array(ProtocolTag.FLIP_LABELS, flipped)\n"
        "    ctx.channel.send(ProtocolTag.TABLE_KEY, item.table_key)\n",
        "    ctx.channel.send(ProtocolTag.TABLE_KEY, item.table_key)\n"
        "    flipped = line.enter_late(item.flip_zero)\n"
        "    ctx.channel.send_array(ProtocolTag.FLIP_LABELS, flipped)\n",
        f"{_MADE}::test_nothing_is_given_out_before_the_modelers_bits_are_fixed",
    ),
    Mutant(
        "stock-choices-not-drawn",
        "the modeler's flips hide its model: prepared choices are random",
        _PREPARATION,
        "choices = session.rng.bits(n_model_wires(spec))",
        "choices = np.zeros(n_model_wires(spec), np.uint8)",
        f"{_MADE}::test_choices_are_drawn_and_flips_hide_the_model",
    ),
    Mutant(
        "stock-instance-again",
        "circuits of the job share no instance with the prepared one",
        _PROTOCOL,
        "    counter.take(tweak_plan.PREPARED_CIRCUITS)\n",
        "",
        _NO_REPEAT,
        also=(
            (
                "    return _EvaluatedHash(line, model_labels, equal, line.garbler_inputs())\n",
                "    again = EvaluatorLine(ctx.channel, ctx.rng, item.hash_key)\n"
                "    return _EvaluatedHash(again, model_labels, equal, line.garbler_inputs())\n",
            ),
        ),
    ),
    Mutant(
        "stock-of-two-meetings",
        "of two meetings at one time only one makes or deletes items",
        _FILLING,
        "both_alone = told[:1] == u8(1) and alone",
        "both_alone = True",
        f"{_TEST}::test_of_two_meetings_at_one_time_only_one_makes_or_deletes_items",
    ),
)
