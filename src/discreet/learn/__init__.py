"""Private learning: models of tables, from gradients and sums that are exact and noisy."""

from discreet.learn.estimators.classifiers import GaussianNB, StumpsClassifier
from discreet.learn.estimators.linear import HuberRegressor, LinearSVC, LogisticRegression, PoissonRegressor
from discreet.learn.estimators.preprocessing import PublicEncoder, PublicScaler
from discreet.learn.estimators.regressions import LinearRegression, Ridge
from discreet.learn.estimators.unsupervised import PCA, KMeans
from discreet.learn.from_table import fit
from discreet.learn.linear_model import LinearModel, load_linear_model
from discreet.learn.report import write_learning_report

__all__ = [
    "PCA",
    "GaussianNB",
    "HuberRegressor",
    "KMeans",
    "LinearModel",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "PoissonRegressor",
    "PublicEncoder",
    "PublicScaler",
    "Ridge",
    "StumpsClassifier",
    "fit",
    "load_linear_model",
    "write_learning_report",
]
