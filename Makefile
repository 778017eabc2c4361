# What a person types here; `make help` lists it.
# `install` is a stamp: once it is fresh, `demo` and `test` call no installer and need no network.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
INTO := --python $(BIN)/python
STAMP := .venv/.installed
LOCKS := configs/locks
TEAMS := $(sort $(patsubst %/pyproject.toml,%,$(wildcard teams/*/pyproject.toml)))
MEMBERS := observability platform $(TEAMS)
PROJECTS := pyproject.toml $(MEMBERS:%=%/pyproject.toml)
NAMES := minerva-observability minerva-platform $(TEAMS:teams/%=minerva-team-%)
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header $(NAMES:%=--no-emit-package %) pyproject.toml
export UV_PYTHON_DOWNLOADS := never

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install demo test quick chaos test-team test-isolated lint types mypy pyright bench dist lock

help:  ## say what can be typed
	@grep -hE '^[a-z-]+:.*  ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*  ## /\1\t/' \
		| while IFS="$$(printf '\t')" read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

install: $(STAMP)  ## make .venv from the hash-locked versions, every distribution editable

demo: $(STAMP)  ## three teams answer a request about a made-up hospital (ARGS="--language en")
	@$(BIN)/minerva demo $(ARGS)

# One more than cores, since a fifth of the tests' time is spent waiting. Each collects all tests, and
# has a browser, a PostgreSQL and an origin of its copies (tests/support/copies.py).
WORKERS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# In the order of folders, what waits for pages comes early, and what keeps a core busy fills the end.
# Hundreds of processes import the same modules; where nobody may write bytecode, each compiles them.
# pytest, too, keeps what it makes of the tests as bytecode (tests/support/bytecode.py): half the CPU
# of collecting them again.
test: $(STAMP)  ## run every test in its small form, offline (ARGS=… goes to pytest)
	@$(BIN)/python -m compileall -q $(MEMBERS) tests/support
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder $(ARGS)

quick: $(STAMP)  ## a minute of CPU: tests of all rooms without processes, or of one (ROOM=storage)
	@PYTHONDONTWRITEBYTECODE= ROOM=$(ROOM) $(BIN)/pytest -q --quick $(ARGS)

chaos: $(STAMP)  ## many processes, kills and damage, for minutes (ARGS=… goes to pytest)
	MINERVA_TEST_FORM=whole $(BIN)/pytest -m whole $(ARGS)

test-team: $(STAMP)  ## run one team's tests: make test-team TEAM=data
	@test -d "tests/teams/$(TEAM)" && test -n "$(TEAM)" || { \
		echo "Say which team: make test-team TEAM=NAME, where NAME is one of: $(TEAMS:teams/%=%)"; exit 2; }
	$(BIN)/pytest tests/teams/$(TEAM) $(ARGS)

test-isolated: $(STAMP)  ## each team, and a stranger's, alone in a fresh environment (needs the package index)
	$(BIN)/python tests/isolated.py $(ARGS)

lint: $(STAMP)  ## style, format, who may import whom, and how far a reader has to go
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	$(BIN)/python tests/support/guards.py

types: mypy pyright  ## both type checkers, strict

mypy: $(STAMP)
	$(BIN)/mypy

pyright: $(STAMP)
	$(BIN)/pyright --warnings

bench: $(STAMP)  ## medians and ratios of every benchmark (ARGS=startup for one)
	PUBLIC=$(PUBLIC) $(BIN)/python tests/bench/run.py $(ARGS)

# Each wheel is built from its sdist, so that both are whole. The root project is in neither form: it
# names its parts by their folders.
dist: $(STAMP)  ## build a wheel and an sdist of each distribution into dist/, without a network
	@rm -rf dist
	@for member in $(MEMBERS); do \
		$(UV) build --quiet $(INTO) --offline --no-build-isolation --out-dir dist "$$member" || exit 1; \
	done
	@ls dist

lock: $(UV)  ## resolve again after a pyproject changed (ARGS=--upgrade for newer versions)
	$(COMPILE) --group dev --output-file $(LOCKS)/dev.txt $(ARGS)
	$(COMPILE) --group server --constraint $(LOCKS)/dev.txt --output-file $(LOCKS)/base.txt

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'MINERVA needs Python 3.11 or newer; `$(PYTHON)` is' "$$($(PYTHON) --version 2>&1)." \
			'Name another one: make install PYTHON=python3.12'; exit 1; }
	@echo 'MINERVA sets itself up in .venv, once: one to two minutes.'
	@echo "  1 of 3  making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check 'uv>=0.9'

# The lock holds hatchling, so that the editable installs need no build environment of their own.
# `uv pip check` catches a pyproject that asks for what the lock does not hold.
$(STAMP): $(PROJECTS) $(LOCKS)/dev.txt | $(UV)
	@echo "  2 of 3  installing $$(grep -c '==' $(LOCKS)/dev.txt) locked packages: about a minute"
	@$(UV) pip install --quiet $(INTO) --require-hashes --compile-bytecode -r $(LOCKS)/dev.txt
	@echo '  3 of 3  adding the platform and its teams: a few seconds'
	@$(UV) pip install --quiet $(INTO) --offline --no-deps --no-build-isolation $(MEMBERS:%=-e %) -e .
	@$(BIN)/python -m compileall -q -j 0 $(MEMBERS)
	@$(UV) pip check --quiet $(INTO) || { \
		$(UV) pip check $(INTO); echo 'A pyproject asks for what the lock does not hold. Type: make lock'; exit 1; }
	@touch $@
	@echo
