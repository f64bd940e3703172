# make demo, make test: each sets up what it needs in .venv first; a second call does not reinstall.
# The demo needs the product alone; tests, linters and measurements need the developers' tools on top of it.
PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
TUMULT := .venv-tumult
BIN := $(VENV)/bin
PRODUCT := $(VENV)/.product
READY := $(VENV)/.ready
PEERS_READY := $(PEERS)/.ready
TUMULT_READY := $(TUMULT)/.ready
WORKERS ?= 2
SECONDS ?= 60
unexport PYTHONDONTWRITEBYTECODE  # tests start Python often: what is compiled once is kept

.PHONY: help setup demo test test-all lint bench mutants audit fuzz clean

help:
	@echo "make demo      ask a generated clinic, the truth beside each answer"
	@echo "make test      run the tests (test-all: the long forms too)"
	@echo "make lint      ruff and mypy --strict"
	@echo "make bench     measure, beside peers, into bench/RESULTS.md"
	@echo "make fuzz      ask generated questions of generated neighbours for SECONDS=60"
	@echo "make audit     attack everything that is shipped, into docs/audit.md"
	@echo "make mutants   break one rule at a time; the tests must notice"

# What is installed is compiled when it is first used: most of it never is.
INSTALL := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "discreet needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(PRODUCT): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e .
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -e '.[dev]'
	@touch $(PRODUCT) $@

$(PEERS_READY): bench/peers.txt constraints.txt $(READY)
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r bench/peers.txt
	PIP_CONSTRAINT=constraints.txt $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(TUMULT_READY): bench/tumult.txt
	$(PYTHON) -m venv $(TUMULT)
	-$(TUMULT)/bin/python -m pip install --quiet --disable-pip-version-check -r bench/tumult.txt
	@touch $@

setup: $(READY)

demo: $(PRODUCT)
	$(BIN)/discreet demo

test: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long"

test-all: $(READY)
	$(BIN)/python -m pytest -n $(WORKERS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(PEERS_READY) $(TUMULT_READY)
	$(PEERS)/bin/python bench/run.py

mutants: $(READY)
	$(BIN)/python tests/mutants/run.py

audit: $(READY)
	$(BIN)/python -m discreet.audit.house --workers $(WORKERS) --write docs/audit.md

fuzz: $(READY)
	$(BIN)/python tests/hostile/fuzz.py --seconds $(SECONDS)

clean:
	rm -rf $(VENV) $(PEERS) $(TUMULT) .mypy_cache .pytest_cache .ruff_cache .hypothesis
