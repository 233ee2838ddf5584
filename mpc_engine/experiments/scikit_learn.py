"""The conventions of scikit-learn's estimators, kept without needing scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Self

from mpc_engine.experiments.failures import InputError


class Estimator:
    """Parameters are the constructor's keyword arguments, kept unchanged under their names."""

    @classmethod
    def _parameters(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__).parameters
        return {name: each.default for name, each in signature.items() if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; ``deep`` is there for scikit-learn and changes nothing."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters and return self; InputError for one that does not exist."""
        known = self._parameters()
        for name in params:
            if name not in known:
                raise InputError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {list(known)!r}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, default in self._parameters().items()
            if getattr(self, name) is not default and getattr(self, name) != default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Describe a classifier of two classes; only scikit-learn calls this."""
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=False),
        )
