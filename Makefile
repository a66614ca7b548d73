# Two commands matter: `make run` and `make test`. `make help` lists the others.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PORT ?= 8000
PYTHON ?=
BIN := .venv/bin
# Hundreds of processes are started: none of them shall compile a thousand modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run setup telemetry test smoke emulated check check-lint check-format check-types check-imports schema clients examples story synth checkov conformance layers bench bench-answers attacks mutants lock
help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

run: .venv/.runtime  ## start everything on http://127.0.0.1:$(PORT)
	@$(BIN)/autri serve --port $(PORT)

setup: .venv/.runtime  ## the environment alone

.venv/bin/uv: scripts/setup.sh
	@PYTHON="$(PYTHON)" scripts/setup.sh venv

.venv/.runtime: .venv/bin/uv requirements.lock requirements-models.lock
	@scripts/setup.sh runtime

.venv/.dev: .venv/.runtime requirements-dev.lock
	@scripts/setup.sh dev

telemetry: .venv/.runtime  ## the packages that send spans to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names
	$(BIN)/uv pip install --quiet -c requirements-dev.lock opentelemetry-sdk opentelemetry-exporter-otlp-proto-http

test: .venv/.dev  ## the whole suite; installs what it needs
	@scripts/setup.sh system
	@$(MAKE) --no-print-directory check
	$(BIN)/python -m pytest -n 4 --dist loadscope

smoke: .venv/.runtime  ## ask a deployment that runs everything it promises; URL=https://HOST TOKEN=an admin's API key JSON=1
	@AUTRI_TOKEN="$(TOKEN)" $(BIN)/python -m tests.smoke "$(URL)" $(if $(JSON),--json)

emulated: .venv/.dev  ## try what a deployment to AWS gives, on this machine; prints how to sign in (Linux)
	@$(BIN)/python -m tests.aws

check: .venv/.dev  ## lint, types, import directions
	@$(MAKE) --no-print-directory --jobs --keep-going $(if $(filter output-sync,$(.FEATURES)),--output-sync) check-types check-imports check-format check-lint

check-lint:
	$(BIN)/ruff check .
	$(BIN)/ruff check --preview --select PLC2701 .

check-format:
	$(BIN)/ruff format --check .

check-types:
	$(BIN)/pyrefly check --summary=none --output-format=min-text

check-imports:
	$(BIN)/lint-imports --no-logo

schema: .venv/.dev  ## write docs/schema.md anew
	$(BIN)/python -m tests.store.schema_page

clients: .venv/.dev  ## write the clients' types anew and build the TypeScript one
	$(BIN)/python -m clients.generate

examples: .venv/.dev  ## record the examples of the API's document from real calls
	$(BIN)/python -m clients.record

synth: .venv/.dev  ## synthesize every deployment
	@for d in deployments/*.toml; do name="$$(basename "$$d" .toml)"; $(BIN)/python app.py "$$name" && echo "autri: cdk.out/$$name" || exit 1; done

# A hundred packages of its own: apart from this environment, which they would not fit.
CHECKOV := 3.3.30
checkov: synth  ## what a second linter of templates finds in every deployment; fails on findings
	$(BIN)/uv tool run --quiet --from checkov==$(CHECKOV) checkov --skip-download --config-file .checkov.yaml $(foreach d,$(wildcard deployments/*.toml),-d cdk.out/$(basename $(notdir $d)))

# MCP's own suite, from npm with a Node of its own; what this server cannot pass is in the file, each with its reason.
CONFORMANCE := @modelcontextprotocol/conformance@0.2.0-alpha.12
conformance:  ## MCP's conformance suite against a running server, in each revision; URL=http://127.0.0.1:8000/v1/mcp
	@for revision in 2025-03-26 2025-06-18 2025-11-25 2026-07-28; do \
		npx --yes --package node@22 --package $(CONFORMANCE) conformance server --url "$(or $(URL),http://127.0.0.1:$(PORT)/v1/mcp)" \
			--suite all --spec-version $$revision --expected-failures tests/mcp-conformance.yaml || exit 1; \
	done

story: .venv/.dev  ## write docs/lab-story.md anew: the lab from three papers to a bundle, by real commands, with pictures
	@$(BIN)/python -m tests.browser.lab_story

layers: .venv/.dev  ## build the Lambda layers
	$(BIN)/python -m stacks.assets

bench: .venv/.dev  ## measure; writes docs/benchmarks/
	$(BIN)/python -m tests.bench

bench-answers: .venv/.dev  ## what a model's answers are worth; MODEL=as AUTRI_MODEL QUESTIONS=gold file DOCUMENTS="files"; writes docs/benchmarks/answers.md
	@$(BIN)/python -m tests.bench.answers "$(MODEL)" $(QUESTIONS) $(DOCUMENTS)

attacks: .venv/.dev  ## what comes of documents that give orders; writes docs/benchmarks/injection.md
	@$(BIN)/python -m tests.attacks

mutants: .venv/.dev  ## break the code in small ways and count what the tests notice; AREAS="…" SEED=n SAMPLE=n
	$(BIN)/python -m tests.mutants $(AREAS) $(if $(SEED),--seed $(SEED)) $(if $(SAMPLE),--sample $(SAMPLE))

LOCK := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --quiet pyproject.toml
lock: .venv/bin/uv  ## resolve the pinned requirements anew
	$(LOCK) --all-extras -o requirements-dev.lock
	$(LOCK) --extra local -c requirements-dev.lock -o requirements.lock
