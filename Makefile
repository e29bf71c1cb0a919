# Every target works on a fresh machine: it makes what it needs. Python 3.11 or newer, a C++ compiler (hnswlib).
PYTHON ?= $(shell command -v python3.11 || command -v python3)
TORCH ?= torch==2.13.0
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check

# One thread is reproducible, and no slower for sentences as short as these.
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM = false

.DEFAULT_GOAL := help
.PHONY: help install demo test lint train bench docs wheel clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.installed: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) $(TORCH)
	@$(PIP) --editable .
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	@$(PIP) --editable '.[test]'
	@touch $@

install: $(VENV)/.installed  ## a virtual environment in .venv with the project in it

demo: $(VENV)/.installed  ## eight months of a household's chats, remembered and taken back
	@$(BIN)/factfold demo

lint: $(VENV)/.tested  ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/mypy

test: lint  ## ruff, mypy and all tests
	@$(BIN)/pytest

train: $(VENV)/.installed  ## train the models on the shipped data and show how good the decision is
	@$(BIN)/factfold train --what gate --out models
	@$(BIN)/factfold train --what attributes --out models
	@$(BIN)/factfold train --out models
	@$(BIN)/factfold evaluate

bench: $(VENV)/.tested  ## how fast it is, and where the time goes
	@$(BIN)/python tests/bench_loop.py

docs: $(VENV)/.installed  ## write docs/cli.md anew
	@$(BIN)/python -m engine.cli.reference docs/cli.md

wheel: $(VENV)/.tested  ## a wheel in dist/
	@$(PIP:install=wheel) --no-deps --wheel-dir dist .

clean:  ## remove what was built; .venv stays
	@rm -rf dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
