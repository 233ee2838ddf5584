"""What keeps a training secret, exact and unrepeated."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_FOLDER = "mpc_engine/protocols/training"
_MATERIAL, _STEPS, _SPEC = f"{_FOLDER}/material.py", f"{_FOLDER}/steps.py", f"{_FOLDER}/spec.py"
_CIRCUITS, _PLAINTEXT = f"{_FOLDER}/circuits.py", f"{_FOLDER}/plaintext.py"
_LAYOUT = f"{_FOLDER}/matrix_layout.py"
_PLAN = "mpc_engine/crypto/tweak_plan.py"
_VIEWS = "tests/engine/leakage/test_training_views.py"
_ANSWERS = f"{_VIEWS}::test_the_modelers_view_does_not_tell_answers_apart"
_ROWS = f"{_VIEWS}::test_the_regulators_view_does_not_tell_rows_and_labels_apart"
_TWEAKS = (
    "tests/engine/leakage/test_training_no_repeat.py"
    "::test_no_tweak_is_used_for_more_blocks_than_one_wire_or_transfer_has"
)
_EXACT = "tests/engine/protocols/test_training.py"
_REFUSALS = "tests/engine/protocols/test_training_refusals.py"
_RANDOM = f"{_EXACT}::test_random_runs_equal_the_oracle_and_exact_integers"
_CONSTRAINTS = "tests/engine/protocols/test_training_constraints.py"
_MINIBATCH = "tests/engine/protocols/test_training_minibatch.py"
_ENDS = f"{_EXACT}::test_theta_saturates_at_both_ends"
_RING = f"{_EXACT}::test_scores_at_both_ends_of_their_ring_do_not_wrap[8191]"
_OVERFLOW = f"{_REFUSALS}::test_a_run_that_could_overflow_is_refused_by_name"
_OUTSIDE = f"{_REFUSALS}::test_data_outside_the_agreed_bounds_is_refused_before_anything_is_sent"

_AHEAD = "mpc_engine/protocols/ahead.py"
_PAIRED = "tests/engine/protocols/test_ahead.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "material-far-ahead",
        "at most one block of material is made ahead, whatever the number of steps",
        _AHEAD,
        "            self._changed.wait_for(lambda: not self._made or self._leaving)\n",
        "            self._changed.wait_for(lambda: len(self._made) < 2 or self._leaving)\n",
        f"{_PAIRED}::test_the_next_item_is_made_while_one_is_used_and_no_further_one",
        also=(("            return self._made.pop()", "            return self._made.pop(0)"),),
    ),
    Mutant(
        "material-thread-outlives-failure",
        "a training that fails wakes and ends the thread that makes its material",
        _AHEAD,
        "            self._line.abort()\n            self._main.close()",
        "            self._main.close()",
        f"{_PAIRED}::test_a_failure_of_the_caller_wakes_a_thread_that_waits_for_its_line",
    ),
    Mutant(
        "material-thread-not-waited-for",
        "a training ends when the thread that makes its material has ended",
        _AHEAD,
        "        self._thread.join()\n",
        "",
        f"{_PAIRED}::test_a_failure_of_the_caller_wakes_a_thread_that_waits_for_its_line",
    ),
    Mutant(
        "material-failure-left-alone",
        "steps end when their material fails, with that failure",
        _AHEAD,
        "        self._line.close()\n        self._main.abort()",
        "        self._line.close()",
        f"{_PAIRED}::test_a_failure_in_the_thread_wakes_a_caller_that_waits_for_its_line",
    ),
    Mutant(
        "material-failure-hidden",
        "a broken line gives way to the failure that broke it",
        _AHEAD,
        "            raise self._failure from None",
        "            return",
        f"{_PAIRED}::test_a_failure_in_the_thread_wakes_a_caller_that_waits_for_its_line",
    ),
    Mutant(
        "late-cheat-taken-for-a-broken-line",
        "a cheat found on one line is not hidden by closing the other",
        _AHEAD,
        "            if not (leaving and isinstance(failure, ChannelClosedError)):\n",
        "            if not leaving:\n",
        f"{_PAIRED}::test_a_cheat_found_after_the_other_line_closed_is_what_the_caller_hears",
    ),
    Mutant(
        "training-theta-unmasked",
        "the modeler holds theta behind a mask of the regulator in every step",
        f"{_FOLDER}/protocol.py",
        "spec.n_columns) & ring_mask(spec.score_width)\n        masks =",
        "spec.n_columns) & np.uint64(0)\n        masks =",
        _ANSWERS,
    ),
    Mutant(
        "training-sigmoid-unmasked",
        "the modeler gets sigmoid outputs behind masks",
        _MATERIAL,
        "    output_masks = rng.words(s, spec.batch_size) & ring",
        "    output_masks = rng.words(s, spec.batch_size) & np.uint64(0)",
        _ANSWERS,
    ),
    Mutant(
        "training-force-unmasked",
        "the modeler gets the constraints' forces behind masks",
        _MATERIAL,
        "    force_masks = rng.words(s, p) & ring",
        "    force_masks = rng.words(s, p) & np.uint64(0)",
        _ANSWERS,
    ),
    Mutant(
        "training-matrix-unmasked",
        "the modeler gets a share of the covariance matrix",
        f"{_FOLDER}/matrix.py",
        "        drawn &= ring_mask(spec.share_width)",
        "        drawn &= np.uint64(0)",
        _ANSWERS,
    ),
    Mutant(
        "training-theta-uncovered",
        "what the modeler opens of theta's share is covered by a value of its own",
        _MATERIAL,
        "    theta_covers = rng.words(s, d) & ring_mask(width)",
        "    theta_covers = rng.words(s, d) & np.uint64(0)",
        _ROWS,
    ),
    Mutant(
        "training-force-uncovered",
        "what the modeler opens of a force's share is covered by a value of its own",
        _MATERIAL,
        "    force_covers = rng.words(s, p) & ring\n",
        "    force_covers = rng.words(s, p) & np.uint64(0)\n",
        _ROWS,
    ),
    Mutant(
        "training-entered-bits-unmasked",
        "the modeler's shares enter circuits behind random bits",
        _MATERIAL,
        "    bits = rng.bits(s * entered_wires(spec))",
        "    bits = rng.bits(s * entered_wires(spec)) & np.uint8(0)",
        _ROWS,
    ),
    Mutant(
        "training-products-untweaked",
        "products of two blocks of steps share no tweak",
        _PLAN,
        "    return range(block * PRODUCTS_A_BLOCK, (block + 1) * PRODUCTS_A_BLOCK)\n",
        "    return range(PRODUCTS_A_BLOCK)\n",
        _TWEAKS,
    ),
    Mutant(
        "training-labels-untweaked",
        "labels of two blocks of steps share no tweak",
        _PLAN,
        "    return block + 1\n",
        "    return 1\n",
        _TWEAKS,
    ),
    Mutant(
        "training-matrix-labels-untweaked",
        "the labels of the sums share no tweak with those of a step",
        _LAYOUT,
        "StepSums(tweak_plan.MATRIX_LABELS, None)",
        "StepSums(tweak_plan.material_labels(0), None)",
        _TWEAKS,
    ),
    Mutant(
        "sweep-blocks-count-anew",
        "blocks of a later point share no tweak with those of the one before",
        f"{_FOLDER}/protocol.py",
        "        mask = drawn[-1]\n        number = next(numbers)\n",
        "        mask = drawn[-1]\n        number = block[0][0] // len(block)\n",
        _TWEAKS,
        also=(
            (
                "for _ in block])\n        number = next(numbers)\n",
                "for _ in block])\n        number = block[0][0] // len(block)\n",
            ),
        ),
    ),
    Mutant(
        "sweep-of-other-runs",
        "the points of a sweep differ in their bounds alone",
        f"{_FOLDER}/protocol.py",
        "        if replace(point, bounds=first.bounds) != first:",
        "        if False:",
        f"{_EXACT}::test_points_of_a_sweep_differ_in_their_bounds_alone",
    ),
    Mutant(
        "training-step-not-rounded",
        "a step is rounded half up",
        _STEPS,
        "        gradient += np.uint64(1 << (phase.shift - 1))\n",
        "",
        f"{_RANDOM}[10]",
    ),
    Mutant(
        "training-matrix-floored",
        "an entry of A is rounded half up",
        _CIRCUITS,
        "    half = arithmetic.constant_bits(1 << shift >> 1, scaled_width)",
        "    half = arithmetic.constant_bits(0, scaled_width)",
        f"{_RANDOM}[1]",
    ),
    Mutant(
        "training-matrix-floored-in-the-clear",
        "an entry of A is rounded half up, not down, whatever its sign",
        f"{_FOLDER}/covariances.py",
        " + (1 << shift >> 1)",
        "",
        "tests/engine/protocols/test_training_oracle.py"
        "::test_an_entry_of_the_matrix_is_rounded_half_up[3-1]",
    ),
    Mutant(
        "training-few-answers-constrain",
        "a set of rows of which too few answered does not constrain the attribute",
        _CIRCUITS,
        "        factor = [*(builder.and_(enough, bit) for bit in factor), False]",
        "        factor = [*factor, False]",
        f"{_CONSTRAINTS}::test_an_attribute_that_too_few_of_a_set_answered_is_left_alone[5-False]",
    ),
    Mutant(
        "training-few-outcomes-accepted",
        "no constraint is about an outcome of too few people, nor about all but too few",
        _PLAINTEXT,
        "    fewest = min(int((labels == outcome).sum()) for outcome in (0, 1))",
        "    fewest = int((labels == 1).sum())",
        f"{_CONSTRAINTS}::test_an_outcome_of_too_few_people_is_refused_before_anything_is_sent",
    ),
    Mutant(
        "training-set-scaled-by-everybody",
        "covariances over a set of rows are means over that set, whatever its share of all",
        _LAYOUT,
        "spec.factor_of(spec.divisor_of(*size)) for size in sizes",
        "spec.factor_of(spec.covered_rows) for _ in sizes",
        f"{_CONSTRAINTS}::test_random_runs_equal_the_oracle_and_exact_integers",
    ),
    Mutant(
        "training-batch-floor-of-its-own",
        "on the minibatch the floor on a set's answers counts everybody's, not a batch's",
        _CIRCUITS,
        "        enough = told[0] if told else _is_enough(builder, spec, answered)",
        "        enough = _is_enough(builder, spec, answered)",
        f"{_MINIBATCH}::test_an_attribute_that_too_few_of_a_set_answered_is_left_alone[4-True]",
    ),
    Mutant(
        "training-batch-floor-of-nobody",
        "on the minibatch as well, a set of which too few answered does not constrain",
        _CIRCUITS,
        "        factor = [*(builder.and_(enough, bit) for bit in factor), False]",
        "        factor = [*(bit if told else builder.and_(enough, bit) for bit in factor), False]",
        f"{_MINIBATCH}::test_an_attribute_that_too_few_of_a_set_answered_is_left_alone[5-False]",
    ),
    Mutant(
        "training-batch-weighs-few-more",
        "a batch with few rows of a set gives each no more weight than an average batch",
        _SPEC,
        "        return max(n_covered, share)",
        "        return max(n_covered, 1) if self.is_on_minibatch else max(n_covered, share)",
        f"{_MINIBATCH}"
        "::test_a_batch_with_few_of_a_set_weighs_them_no_more_than_an_average_one[positive]",
    ),
    Mutant(
        "training-batches-share-tweaks",
        "no tweak serves the sums over batches of two blocks",
        _PLAN,
        "    return _BATCH_LABELS + block",
        "    return _BATCH_LABELS",
        f"{_TWEAKS}[anew-equalised_odds-minibatch]",
    ),
    Mutant(
        "training-batches-share-masks",
        "no two steps' covariances are shared under one mask",
        f"{_FOLDER}/matrix.py",
        "        drawn &= ring_mask(spec.share_width)\n",
        "        drawn = np.tile(drawn[: len(drawn) // n_steps], n_steps)\n"
        "        drawn &= ring_mask(spec.share_width)\n",
        f"{_MINIBATCH}::test_no_two_numbers_of_a_run_are_shared_under_one_mask",
    ),
    Mutant(
        "training-batch-of-other-rows",
        "a step bounds the covariances of the rows that it uses",
        "mpc_engine/protocols/training/protocol.py",
        "        return matrix[block[0][0] : block[-1][0] + 1]",
        "        return np.roll(matrix, 1, axis=0)[block[0][0] : block[-1][0] + 1]",
        f"{_MINIBATCH}::test_random_runs_equal_the_oracle_and_exact_integers",
    ),
    Mutant(
        "training-clamp-without-half",
        "the sigmoid is one half at zero",
        _STEPS,
        " + np.uint64(1 << spec.score_frac_bits >> 1)",
        "",
        f"{_RANDOM}[1]",
    ),
    Mutant(
        "training-theta-not-saturated",
        "theta stays at the ends of its bits",
        _CIRCUITS,
        "    theta = _saturate(builder, after, spec.theta_bits)",
        "    theta = after[: spec.theta_bits]",
        _ENDS,
    ),
    Mutant(
        "training-mean-floored",
        "the opened mean is rounded half up",
        _CIRCUITS,
        "    half = arithmetic.constant_bits(1 << spec.mean_shift >> 1, width)",
        "    half = arithmetic.constant_bits(0, width)",
        f"{_RANDOM}[1]",
    ),
    Mutant(
        "training-force-not-saturated",
        "lambda and the force stay within the public bound",
        _CIRCUITS,
        "    over = arithmetic.less_than(builder, limit, [*value, value[-1]])",
        "    over = arithmetic.less_than(builder, limit, limit)",
        f"{_EXACT}::test_lambda_saturates_at_its_bound_whatever_its_rate[True--20]",
    ),
    Mutant(
        "training-force-always-on",
        "with the paper's rule a constraint that holds has no force",
        _CIRCUITS,
        "    active = builder.any_of(positive) if rule.only_violated else builder.any_of(size)",
        "    active = builder.any_of(size)",
        f"{_RANDOM}[11]",
    ),
    Mutant(
        "training-score-without-room",
        "scores have room for the 1/2 that is added to them",
        _SPEC,
        "        return 1 + ((largest_row << (self.theta_bits - 1)) + half).bit_length()",
        "        return 1 + ((largest_row << (self.theta_bits - 1)) + 0 * half).bit_length()",
        _RING,
    ),
    Mutant(
        "training-matrix-bound-exact",
        "the bound of A counts what rounding 1 / n^2 adds",
        _SPEC,
        "        return self._centred(self.x_bound)",
        "        return self.x_bound // 2 + 2",
        f"{_EXACT}::test_large_features_keep_the_constraint_matrix_in_its_bound",
    ),
    Mutant(
        "training-overflow-accepted",
        "a run whose values could wrap is refused by name",
        _SPEC,
        "            if width > _MAX_WIDTH_BITS:",
        "            if False:",
        f"{_OVERFLOW}[row_bound]",
    ),
    Mutant(
        "training-rows-unchecked",
        "the modeler checks its rows against the agreed bounds before it sends anything",
        _PLAINTEXT,
        "    fits = -spec.x_bound <= rows.min() and rows.max() <= spec.x_bound",
        "    fits = np.abs(rows).max() <= spec.x_bound",
        f"{_OUTSIDE}[smallest integer-ROW_OUT_OF_RANGE]",
    ),
)
