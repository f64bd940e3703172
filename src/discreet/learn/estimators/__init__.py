"""Estimators by scikit-learn's conventions, over rows in memory."""
