"""Tests whose p-values are valid under the noise."""
