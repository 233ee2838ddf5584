"""A fair logistic regression with scikit-learn's conventions, trained by both parties."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mpc_engine.control.studies.training_terms import recommended_steps
from mpc_engine.crypto.prg import SEED_BYTES, Prg
from mpc_engine.crypto.rng import system_randomness
from mpc_engine.errors import UsageError
from mpc_engine.experiments.failures import InputError, NotFittedError
from mpc_engine.experiments.float_training import covariance_rows, train_in_floats
from mpc_engine.experiments.saved_models import IntegerScores, read_estimator, write_estimator
from mpc_engine.experiments.scikit_learn import Estimator
from mpc_engine.experiments.tables import (
    Answers,
    Reals,
    column_names,
    read_answers,
    read_bounds,
    read_matrix,
    read_outcomes,
)
from mpc_engine.experiments.training_report import TrainingReport
from mpc_engine.experiments.two_processes import TwoPartyRun, train_in_two_processes
from mpc_engine.protocols.training.fixed_point import Standardisation, public_bounds
from mpc_engine.protocols.training.hyperparameters import (
    BATCH_SIZE,
    X_FRAC_BITS,
    Preset,
    settings_of,
    steps_of,
    training_spec,
)
from mpc_engine.protocols.training.plaintext import train_plaintext
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.ring.decimal_encoding import parse_decimal
from mpc_engine.vocabulary.constraints import Constraint, ConstraintScope

Progress = Callable[[str, int, int], None]
_LARGEST_SEED = 1 << 64


class FairLogisticRegression(Estimator):
    """Logistic regression with bounded covariance of score and sensitive attributes.

    Parameters:
        bound: the largest ``abs(A theta)`` wanted, c: one number, or one for each attribute (by
            order, or a dict by column name). Theta is for standardised features.
        constraint: what to keep alike between groups: ``"acceptance_rate"``,
            ``"true_positive_rate"`` (equal opportunity), ``"true_negative_rate"``,
            ``"equalised_odds"`` (both, each under ``bound``) or ``"accuracy"``.
        constraint_scope: the rows whose covariances a step bounds: ``"whole_set"``, or
            ``"minibatch"``, its own, which says less of all rows.
        preset: ``"recommended"`` or ``"paper"``.
        n_steps: number of steps; or ``n_epochs``, passes over the rows. With neither, as many as
            the protocol's pages recommend: 40 passes, at least 2,560 and at most 15,000 steps.
        batch_size: rows a step, a power of two.
        random_state: an integer fixes the order of rows, and so the result; None draws an order.
        secure: True runs the protocol in two processes; False computes the same integers in this
            one, which gives the same model from the same order, only sooner.
        time_limit: seconds after which a fit gives up; None for no limit.
        progress: called with (stage, done, total) now and then.

    After ``fit``: ``coef_`` (1, k) and ``intercept_`` (1,) for raw features, ``classes_``,
    ``n_features_in_``, ``feature_names_in_`` (data frames only), ``n_iter_`` (steps), ``theta_``
    (the opened integers), ``training_report_`` (:class:`TrainingReport`). A model that was loaded
    has ``provenance_`` instead of the last three.

    InputError for unusable data or parameters, PartyFailedError if a party's process fails.
    """

    _estimator_type = "classifier"

    def __init__(
        self,
        bound: Any = 0.01,
        *,
        constraint: str = Constraint.ACCEPTANCE_RATE.value,
        constraint_scope: str = ConstraintScope.WHOLE_SET.value,
        preset: str = "recommended",
        n_epochs: float | None = None,
        n_steps: int | None = None,
        batch_size: int = BATCH_SIZE,
        random_state: int | None = None,
        secure: bool = True,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.bound = bound
        self.constraint = constraint
        self.constraint_scope = constraint_scope
        self.preset = preset
        self.n_epochs = n_epochs
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.random_state = random_state
        self.secure = secure
        self.time_limit = time_limit
        self.progress = progress

    provenance_: dict[str, str | int]
    _integer_scores: IntegerScores | None = None
    """What scores a loaded model of a study; others are scored in floats."""

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:
        """Train on ``X`` (n, k), two classes ``y`` (n,), and the attributes (n,) or (n, a).

        ``sensitive_features`` holds categories; None and NaN mean "prefer not to say".
        """
        self._fit_all([self], X, y, sensitive_features)
        return self

    def path(
        self, X: Any, y: Any, *, sensitive_features: Any = None, bounds: Sequence[Any]
    ) -> list[Self]:
        """Train one model for each of ``bounds`` in one run, and return them, fitted.

        Each is what ``fit`` gives with that ``bound`` and the same order of rows. The
        covariance A is shared once for all; the costs in each report are those of the whole run.
        This model itself is left as it was.
        """
        if isinstance(bounds, str) or not isinstance(bounds, Sequence) or not bounds:
            raise InputError("bounds is a list of at least one bound.")
        parameters = self.get_params(deep=False)
        models = [type(self)(**{**parameters, "bound": c}) for c in bounds]
        self._fit_all(models, X, y, sensitive_features)
        return models

    def _fit_all(self, models: Sequence[Self], X: Any, y: Any, sensitive_features: Any) -> None:
        """Train models that differ in their bound alone, in one run."""
        name = type(self).__name__
        features = read_matrix(X, name)
        classes, targets = read_outcomes(y, len(features), name)
        answers = read_answers(sensitive_features, len(features))
        bounds = [read_bounds(model.bound, answers) for model in models]
        try:
            standardisation = Standardisation.of(features)
            rows = standardisation.encode(features, X_FRAC_BITS)
            seed = self._order_seed()
            points = [self._spec(rows, answers, each, seed) for each in bounds]
            thetas, run = self._train(points, rows, targets, answers)
        except InputError:
            raise
        except UsageError as error:
            raise InputError(error.sentence, code=error.code) from None
        reals = standardisation.scaled(features)
        covariance = covariance_rows(points[0], reals, targets, answers.entries)
        for model, spec, each, theta in zip(models, points, bounds, thetas, strict=True):
            real = theta / 2.0**spec.output_frac_bits
            exact = train_in_floats(spec, reals, targets, answers.entries)
            report = _report(
                spec,
                run,
                largest_excess=_largest_excess(covariance @ real, each),
                largest_difference=float(np.abs(real - exact).max()),
            )
            raw = standardisation.decode(theta, spec.output_frac_bits)
            model._take(theta, raw, classes, report)
            model._take_names(X, features)

    def _take(
        self,
        theta: NDArray[np.int64],
        raw: tuple[float, Reals],
        classes: NDArray[Any],
        report: TrainingReport,
    ) -> None:
        """Take a trained model: the opened integers, and intercept and coefficients of them."""
        intercept, coefficients = raw
        self._integer_scores = None
        self.classes_ = classes
        self.coef_ = coefficients[None]
        self.intercept_ = np.array([intercept])
        self.theta_ = theta
        self.n_iter_ = report.steps
        self.training_report_ = report

    def decision_function(self, X: Any) -> Reals:
        """Return the score of each row, float64 (n,); from 0 on the second class is decided."""
        if not hasattr(self, "coef_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first."
            )
        features = read_matrix(X, type(self).__name__)
        if features.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {features.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        names, known = column_names(X), getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and list(names) != list(known):
            raise InputError("The feature names should match those that were passed during fit.")
        if self._integer_scores is not None:
            return self._integer_scores(features)
        # Row by row the same sum, however many rows are asked at once.
        return np.asarray((features * self.coef_[0]).sum(axis=1) + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the decided class of each row, (n,)."""
        decided = (self.decision_function(X) >= 0).astype(np.int64)
        return np.asarray(self.classes_[decided])

    def predict_proba(self, X: Any) -> Reals:
        """Return the probability of each class, float64 (n, 2), by the clamp used in training.

        ``min(max(score + 1/2, 0), 1)``; many rows are at 0 or 1 exactly.
        """
        second = np.clip(self.decision_function(X) + 0.5, 0.0, 1.0)
        return np.stack([1.0 - second, second], axis=1)

    def score(self, X: Any, y: Any) -> float:
        """Return the share of rows that are decided as in ``y``."""
        return float(np.mean(self.predict(X) == np.asarray(y).reshape(-1)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a fitted model as an estimator file: exact decimals, no pickle.

        InputError for a model that was loaded from a study's file: copy that file instead.
        """
        if not hasattr(self, "coef_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet.")
        if self._integer_scores is not None:
            raise InputError("This model is its study's; copy the file that it was loaded from.")
        provenance: dict[str, str | int] = {
            "source": "experiment",
            "bound": str(self.bound),
            "constraint": str(self.constraint),
            "constraint_scope": str(self.constraint_scope),
            "preset": str(self.preset),
        }
        if hasattr(self, "training_report_"):
            report: TrainingReport = self.training_report_
            provenance |= {
                "steps": report.steps,
                "secure": "yes" if report.secure else "no",
                "largest_difference_to_float64": repr(report.largest_difference),
            }
        write_estimator(
            path,
            coefficients=self.coef_[0],
            intercept=float(self.intercept_[0]),
            names=getattr(self, "feature_names_in_", None),
            classes=self.classes_,
            provenance=provenance,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the fitted model of an estimator file: one that was saved, or a study's.

        A study's model decides every row as its party does, in the same integers. Nothing in the
        file is executed; InputError names what is wrong with it.
        """
        estimator = read_estimator(path)
        model = cls()
        model.classes_ = np.array(estimator.classes)
        model.intercept_ = np.array([float(estimator.intercept)])
        model.coef_ = np.array(
            [[float(each.coefficient / parse_decimal(each.unit)) for each in estimator.features]]
        )
        model.n_features_in_ = len(estimator.features)
        if estimator.columns == "named":
            names = [feature.name for feature in estimator.features]
            model.feature_names_in_ = np.array(names, dtype=object)
        model.provenance_ = dict(estimator.provenance)
        if estimator.rounding is not None:
            model._integer_scores = IntegerScores(estimator)
        return model

    def _steps(self, n_rows: int, batch_size: int) -> int:
        if self.n_steps is not None:
            if not _is_integer(self.n_steps) or self.n_steps < 1:
                raise InputError("n_steps is a positive whole number.")
            return int(self.n_steps)
        epochs = self.n_epochs
        if epochs is None:
            return recommended_steps(n_rows)
        if not isinstance(epochs, int | float | np.number) or not 0 < epochs < np.inf:
            raise InputError("n_epochs is a positive number.")
        return steps_of(float(epochs), n_rows, batch_size)

    def _spec(
        self,
        rows: NDArray[np.int64],
        answers: Answers,
        bounds: tuple[float, ...],
        order_seed: bytes,
    ) -> TrainingSpec:
        if self.preset not in list(Preset):
            named = ", ".join(preset.value for preset in Preset)
            raise InputError(f"preset is one of: {named}.")
        if self.constraint not in list(Constraint):
            named = ", ".join(constraint.value for constraint in Constraint)
            raise InputError(f"constraint is one of: {named}; c is bound.")
        if self.constraint_scope not in list(ConstraintScope):
            named = ", ".join(scope.value for scope in ConstraintScope)
            raise InputError(f"constraint_scope is one of: {named}.")
        size = self.batch_size
        if not _is_integer(size) or size < 1 or size & (size - 1):
            raise InputError("batch_size is a power of two.")
        n_steps = self._steps(len(rows), int(size))
        settings = settings_of(Preset(self.preset), len(rows), n_steps, int(size))
        x_bound, row_bound = public_bounds(rows)
        return training_spec(
            settings,
            n_rows=len(rows),
            n_columns=rows.shape[1],
            x_bound=x_bound,
            row_bound=row_bound,
            entry_counts=answers.entry_counts,
            constraints=bounds,
            order_seed=order_seed,
            batch_size=int(size),
            kind=Constraint(self.constraint),
            scope=ConstraintScope(self.constraint_scope),
        )

    def _order_seed(self) -> bytes:
        if self.random_state is None:
            return system_randomness().bytes(SEED_BYTES)
        if not _is_integer(self.random_state) or not 0 <= self.random_state < _LARGEST_SEED:
            raise InputError("random_state is None or a whole number from 0 to 2^64 - 1.")
        return Prg(int(self.random_state).to_bytes(SEED_BYTES, "little")).bytes(SEED_BYTES)

    def _train(
        self,
        points: Sequence[TrainingSpec],
        rows: NDArray[np.int64],
        targets: NDArray[np.uint8],
        answers: Answers,
    ) -> tuple[Iterable[NDArray[np.int64]], TwoPartyRun | None]:
        if not self.secure:
            found = [train_plaintext(spec, rows, targets, answers.entries) for spec in points]
            return [each.theta for each in found], None
        run = train_in_two_processes(
            points,
            rows,
            targets,
            answers.entries,
            system_randomness(),
            time_limit_s=self.time_limit,
            progress=self.progress,
        )
        return run.thetas, run

    def _take_names(self, X: Any, features: Reals) -> None:
        self.n_features_in_ = features.shape[1]
        names = column_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_


def _largest_excess(values: Reals, bounds: tuple[float, ...]) -> float:
    """Return how far ``abs(A theta)``, set by set of rows, is above its bound at most."""
    by_set = np.abs(values).reshape(-1, len(bounds))
    return float((by_set - np.array(bounds)).max())


def _is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _report(
    spec: TrainingSpec,
    run: TwoPartyRun | None,
    *,
    largest_excess: float,
    largest_difference: float,
) -> TrainingReport:
    return TrainingReport(
        secure=run is not None,
        steps=spec.n_steps,
        constraints=len(spec.bounds),
        seconds_total=run.seconds_total if run else 0.0,
        seconds_offline=run.seconds_offline if run else 0.0,
        seconds_online=run.seconds_online if run else 0.0,
        bytes=run.n_bytes if run else 0,
        rounds=run.rounds if run else 0,
        peak_rss_bytes=run.peak_rss_bytes if run else 0,
        largest_excess=largest_excess,
        largest_difference=largest_difference,
    )
