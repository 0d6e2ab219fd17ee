# Python 3.11 and make are all that must be there; everything else is prepared on first use.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv/bin
SEEDS ?= 10000
MINUTES ?= 60
TRACES ?= ../shared/traces
export PATH := $(CURDIR)/$(VENV):$(PATH)
.DEFAULT_GOAL := help
.PHONY: help run setup test test-cards test-deploy test-slurm e2e long sim soak screenshots pictures bench bench-files bench-node bench-portal bench-scaling bench-scheduler bench-serve mutate check fmt lint types schema reference lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Start the whole platform here; ARGS="--portal-port 9000 --runtime docker"
	@$(PYTHON) -m deploy.onebox $(ARGS)

setup: ## Prepare .venv with the tools of development, and the frontend
	@$(PYTHON) -m deploy.onebox.setup --dev

test: setup ## Run every test on real parts; installs what is missing when root
	@$(VENV)/python -m tests

e2e: setup ## Run the browser tests and the tests in real containers
	@$(VENV)/python -m tests e2e

test-cards: setup ## Try the agent on the NVIDIA card of this machine, which nobody else may use meanwhile
	@$(VENV)/pytest tests/cards

test-slurm: setup ## Run the tests on a real Slurm cluster of two nodes, which is started here
	@$(VENV)/pytest -q -m slurm tests/slurm

long: setup ## Run the tests of minutes: outages under load, one of each process killed
	@$(VENV)/pytest -q -m long tests/integration tests/e2e tests/nodeagent tests/portal

test-deploy: setup ## Start docker-compose.yml from a clean clone and use it; needs what `make test` installs
	@$(VENV)/pytest -q -m long tests/deploy/stack

sim: setup ## Simulate scheduler, agents and a faulty network: SEEDS=10000
	@$(VENV)/python -m tests.simulation --seeds $(SEEDS)

soak: setup ## Use the platform for MINUTES=60 while every part of it is killed now and then
	@$(VENV)/python -m tests.soak --minutes $(MINUTES)

screenshots: setup ## Take every page and dialog, to leaf through: var/screenshots/index.html
	@$(VENV)/python -m tests.screenshots

pictures: setup ## Take the pictures of docs/users again, in both languages
	@$(VENV)/python -m tests.screenshots --docs

bench: setup ## Measure the platform beside its bare floor
	@status=0; for part in bench bench.request_costs bench.agent_links; do \
	  $(VENV)/python -m $$part || status=1; done; exit $$status

bench-files: setup ## Measure uploads beside plain cp and a bare server
	@$(VENV)/python -m bench.files

bench-node: setup ## Measure the node agent beside a bare Docker Engine; PARTS="adopt logs"
	@$(VENV)/python -m bench.node $(PARTS)

bench-portal: setup ## Measure pages, answers, live pages and the card map on a large site; PARTS="pages"
	@$(VENV)/python -m bench.portal $(PARTS)

bench-scaling: setup ## Compare rules of scaling on traces of requests; TRACES=dir, CASES="code"
	@$(VENV)/python -m bench.scaling $(TRACES)/inference-requests $(CASES)

bench-scheduler: setup ## Measure what the engine promises; TRACES=dir, PARTS="packing kueue"
	@$(VENV)/python -m bench.scheduler --traces $(TRACES) $(PARTS)

bench-serve: setup ## Measure the inference gateway beside nginx and HAProxy, with wrk
	@$(VENV)/python -m bench.serve

mutate: setup ## Take each constraint and invariant away, change each rule of the core: a test must turn red
	@$(VENV)/python -m tests.mutation
	@$(VENV)/python -m tests.mutation.rules --seconds 3600

check: lint types test ## Everything that gates a merge

fmt: setup ## Format everything
	@$(VENV)/ruff check --fix-only --quiet . && $(VENV)/ruff format . && npm --prefix frontend run format

lint: setup ## Style, imports, architecture, generated files
	@$(VENV)/ruff check . && $(VENV)/ruff format --check . && $(VENV)/lint-imports
	@$(VENV)/pytest -q tests/architecture tests/reference
	@npm --prefix frontend run lint && npm --prefix frontend run locales

types: setup ## Check types, Python and TypeScript
	@$(VENV)/mypy && npm --prefix frontend run types

schema: setup ## Write docs/api/openapi.yaml and the types generated from it
	@$(VENV)/python manage.py spectacular --settings portal.config.settings.test --file docs/api/openapi.yaml
	@npm --prefix frontend run generate

reference: setup ## Write docs/reference; for the pages: kinds of work and of lists, sentences of reasons
	@$(VENV)/python -m tests.reference

lock: setup ## Compile requirements/*.in into the hashed locks
	@for set in server agent local dev; do \
	  out=requirements$$([ $$set = server ] || echo -$$set).txt; \
	  uv pip compile --quiet --no-header --generate-hashes --python-version 3.11 \
	    requirements/$$set.in -o $$out; done
	@uv pip compile --quiet --no-header --generate-hashes --python-version 3.11 \
	  --python-platform linux --no-emit-index-url -c requirements-local.txt \
	  deploy/images/jupyter/requirements.in -o deploy/images/jupyter/requirements.txt
	@uv pip compile --quiet --no-header --generate-hashes --python-version 3.11 \
	  --python-platform linux --no-emit-index-url --override requirements/models-left-out.txt \
	  requirements/models.in -o requirements/models.txt
	@uv pip compile --quiet --no-header --generate-hashes --python-version 3.11 \
	  --python-platform linux --no-emit-index-url --no-deps \
	  requirements/llama-cpp.in -o requirements/llama-cpp.txt

clean: ## Remove what was built; data in var/ stays
	@rm -rf .venv frontend/node_modules frontend/dist var/setup .mypy_cache .ruff_cache \
	  .pytest_cache .hypothesis .import_linter_cache
