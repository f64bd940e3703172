"""What scikit-learn is told about the estimators: they take missing numbers, and no two fits are the same."""

from __future__ import annotations

from typing import Any


def make_tags(kind: str) -> Any:
    """Return scikit-learn's tags: asked for by its tools only, so that it need not be installed."""
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

    return Tags(
        estimator_type=None if kind == "transformer" else kind,
        target_tags=TargetTags(required=kind != "transformer"),
        transformer_tags=TransformerTags() if kind == "transformer" else None,
        classifier_tags=ClassifierTags(poor_score=True) if kind == "classifier" else None,
        regressor_tags=RegressorTags(poor_score=True) if kind == "regressor" else None,
        input_tags=InputTags(allow_nan=True),
        non_deterministic=kind != "transformer",
    )
