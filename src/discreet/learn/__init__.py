"""Private learning: models of tables, from gradients and sums that are exact and noisy."""

from discreet.learn.best_from_table import fit_best
from discreet.learn.choosing import Setting
from discreet.learn.compiled.compiled_fit import fit_compiled
from discreet.learn.compiled.compiled_model import CompiledModel
from discreet.learn.estimators.classifiers import GaussianNB, StumpsClassifier
from discreet.learn.estimators.linear import HuberRegressor, LinearSVC, LogisticRegression, PoissonRegressor
from discreet.learn.estimators.preprocessing import PublicEncoder, PublicScaler
from discreet.learn.estimators.regressions import LinearRegression, Ridge
from discreet.learn.estimators.unsupervised import PCA, KMeans
from discreet.learn.from_table import fit
from discreet.learn.models.bayes_model import BayesModel
from discreet.learn.models.cluster_model import ClusterModel
from discreet.learn.models.component_model import ComponentModel
from discreet.learn.models.linear_model import ChosenSetting, LinearModel
from discreet.learn.models.load import load_model
from discreet.learn.models.regression_model import RegressionModel
from discreet.learn.models.stumps_model import StumpsModel
from discreet.learn.report.page import write_learning_report

__all__ = [
    "PCA",
    "BayesModel",
    "ChosenSetting",
    "ClusterModel",
    "CompiledModel",
    "ComponentModel",
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
    "RegressionModel",
    "Ridge",
    "Setting",
    "StumpsClassifier",
    "StumpsModel",
    "fit",
    "fit_best",
    "fit_compiled",
    "load_model",
    "write_learning_report",
]
