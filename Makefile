# `make up` is all a newcomer needs; every target does its own set-up. Logic belongs in Python, not here.
PYTHON ?= python3
STACK ?= local
TFCLUSTER := .venv/bin/tfcluster
CHECKED := __main__.py benchmarks bootstrap cli components provider stacks tests training

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'
	@echo "  STACK=NAME chooses another stack than local: kubernetes, gke-free, gke"

.PHONY: setup
setup: ## Make the virtual environment and get a Pulumi engine; does nothing when both are there
	@$(PYTHON) -m bootstrap

.PHONY: up preview refresh down output
up: setup ## Create or update the stack, train, and print the result
	@$(TFCLUSTER) up $(STACK)
preview: setup ## Show what `make up` would do
	@$(TFCLUSTER) preview $(STACK)
refresh: setup ## Compare the stack's state with what is really there
	@$(TFCLUSTER) refresh $(STACK)
down: setup ## Remove everything that the stack created; the run history stays
	@$(TFCLUSTER) down $(STACK)
output: setup ## Print the stack's outputs as JSON
	@$(TFCLUSTER) output $(STACK)

.PHONY: setup-dev
setup-dev:
	@$(PYTHON) -m bootstrap --dev

.PHONY: test test-kubernetes bench check format
test: setup-dev ## Run all tests that need no cloud
	@eval "$$($(TFCLUSTER) env)" && python -m pytest -m "not kubernetes" $(ARGS)
test-kubernetes: setup-dev ## Run the tests that bring up a three-node Kubernetes on this machine (root, Debian)
	@eval "$$($(TFCLUSTER) env)" && python -m pytest -m kubernetes -o timeout=1200 tests/kubernetes $(ARGS)
bench: setup-dev ## Measure speed-up and time to accuracy on a scale model of the cluster (root)
	@.venv/bin/python -m benchmarks $(ARGS)
check: setup-dev ## Check format, lint and types
	@.venv/bin/ruff format --check $(CHECKED)
	@.venv/bin/ruff check $(CHECKED)
	@.venv/bin/pyright
format: setup-dev ## Format the code and mend what the linter can
	@.venv/bin/ruff format $(CHECKED)
	@.venv/bin/ruff check --fix $(CHECKED)

LOCK := .venv/bin/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --quiet
.PHONY: lock
lock: setup-dev ## Lock the newest allowed versions of all dependencies, with hashes and without addresses
	@$(LOCK) $(ARGS) -o requirements.txt
	@$(LOCK) $(ARGS) --group dev -c requirements.txt -o requirements-dev.txt
