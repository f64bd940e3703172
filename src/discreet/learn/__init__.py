"""Private learning: models of tables, from gradients and sums that are exact and noisy."""

from discreet.learn.choosing import Setting
from discreet.learn.estimators import HuberRegressor, LinearSVC, LogisticRegression, PoissonRegressor
from discreet.learn.from_table import fit, fit_best
from discreet.learn.linear_model import ChosenSetting, LinearModel, load_linear_model
from discreet.learn.moment_estimators import PCA, GaussianNB, KMeans, LinearRegression, Ridge, StumpsClassifier
from discreet.learn.preprocessing import PublicEncoder, PublicScaler
from discreet.learn.report import write_learning_report

__all__ = [
    "PCA",
    "ChosenSetting",
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
    "Setting",
    "StumpsClassifier",
    "fit",
    "fit_best",
    "load_linear_model",
    "write_learning_report",
]
