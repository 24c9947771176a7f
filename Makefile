# Every target sets up .venv by itself; nothing but Python 3.11+ and make is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Processes of pytest; 0 runs the tests in one.
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

.PHONY: help demo test test-engines test-slow lint docs clean

help:
	@echo "make demo          discover the causal graph of a simulated survey and write its report"
	@echo "make test          lint, types and the tests"
	@echo "make test-engines  simulation and benchmark on real Dask and Ray clusters, and the notebooks"
	@echo "make test-slow     all tests that take minutes"
	@echo "make lint          ruff and mypy alone"
	@echo "make docs          the documentation site, in docs/_build"

# torch goes first and pinned, so that a CPU build that pip has at hand (or is pointed at) is taken and kept.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "$$(grep '^torch==' constraints.txt)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/foundcause demo --out demo-output

lint: $(STAMP)
	$(BIN)/ruff check src tests benchmarks research
	$(BIN)/ruff format --check src tests benchmarks research
	$(BIN)/mypy

test: lint
	$(PYTEST)

test-engines: $(STAMP)
	$(BIN)/python -m pytest -m slow tests/engines $(wildcard tests/examples)

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

docs: $(STAMP)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build

clean:
	rm -rf $(VENV) build dist docs/_build demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis
