# Needs only python3 >= 3.11 (with venv) and make; all other dependencies are installed as locked.
.PHONY: help doctor audit demo test test-all coverage soak drill rehearsal compose-trial check bench docs findings screenshots pictures licences asyncapi wheel wheel-compiled messages format clean
.DEFAULT_GOAL := demo

APPS := core players wallet tables tournaments finance staff
PYTHON ?= python3
UV := .tools/bin/uv
RUN := .venv/bin/python
DOCS := build/pages/docs/index.html
READY := .venv/ready
READY_DEMO := .venv/ready-demo
# Machines with their own certificates have them in the system's store.
SYNC := sh -c '"$$0" sync --quiet --frozen --inexact --extra embedded --python .venv/bin/python "$$@" 2>/dev/null \
	|| UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 "$$0" sync --quiet --frozen --inexact --extra embedded --python .venv/bin/python "$$@"' $(UV)
export UV_PROJECT_ENVIRONMENT := .venv
# Keep .pyc files in .tools/pycache.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.tools/pycache

help: ## List the make targets.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort -u | awk -F ':.*## ' '{ printf "make %-12s %s\n", $$1, $$2 }'

demo: $(READY_DEMO) $(DOCS) ## Run a demo site on this machine; stop it with Ctrl-C.
	@$(RUN) manage.py demo $(ARGS)

doctor: $(READY_DEMO) ## List missing system dependencies.
	@$(RUN) manage.py doctor $(ARGS)

test: $(READY) ## Run the quick tests on throw-away servers.
	$(RUN) -m pytest -n 3 --dist loadgroup --no-loadscope-reorder -m "not soak and not extended" $(ARGS)

test-all: $(READY) ## Run the extended tests: races, killed processes, browsers, amounts.
	$(RUN) -m pytest -n 4 --dist loadgroup --no-loadscope-reorder -m "extended and not soak" --timeout 300 $(ARGS)

coverage: $(READY) ## Print the branch coverage of `make test` and `make test-all` by app.
	$(RUN) -m tests.coverage_by_app $(ARGS)

wheel: $(READY) ## Build the rules library as a wheel in dist/.
	cd rummy && ../$(RUN) -m hatchling build --target wheel --directory ../dist

wheel-compiled: $(READY) ## Build it for this platform with a compiled solver; needs a C compiler.
	cd rummy && HATCH_BUILD_HOOK_ENABLE_CUSTOM=true PYTHONPATH=.. ../$(RUN) -m hatchling build --target wheel --directory ../dist

soak: $(READY) ## Run the load and endurance tests.
	$(RUN) -m pytest -m soak --timeout 3600 $(ARGS)

drill: $(READY) ## Test point-in-time recovery from the WAL archive and measure it.
	$(RUN) -m pytest tests/wallet/ledger/test_point_in_time.py -m soak --timeout 900 $(ARGS)

compose-trial: $(READY) ## Test docker-compose.yml in Podman by playing a pool.
	$(RUN) -m tests.trials compose $(ARGS)

rehearsal: $(READY) ## Failover test: kill every process of a multi-node setup (needs nginx, PgBouncer, Patroni).
	$(RUN) -m tests.trials rehearsal $(ARGS)

check: export RUMMY_EPHEMERAL = 1
check: $(READY) ## Check style, types, imports, migrations, deployment, known vulnerabilities.
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	.venv/bin/djlint --lint --quiet templates
	.venv/bin/oxlint --deny-warnings static
	.venv/bin/squawk $$(find $(APPS) -name '*.sql')
	$(RUN) -m mypy
	.venv/bin/lint-imports
	$(RUN) manage.py makemigrations --check --dry-run
	$(RUN) manage.py check_migrations
	SECRET_KEY=$$($(RUN) -c 'import secrets; print(secrets.token_urlsafe(64))') \
	DEAL_KEYS=$$($(RUN) -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())') \
	PAYEE_KEYS=$$($(RUN) -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())') \
	IDENTITY_KEYS=$$($(RUN) -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())') \
	HTTPS=1 STAFF_MFA_REQUIRED=1 EMAIL_URL=smtp+tls://localhost:587 CONTACT_EMAIL=help@example.com \
	$(RUN) manage.py check --deploy --fail-level WARNING
	@$(MAKE) --no-print-directory audit

audit: $(UV) ## Check locked dependencies for known vulnerabilities.
	@report=$$(UV_HTTP_RETRIES=1 $(UV) audit --frozen --preview-features audit-command $(AUDIT_ARGS) 2>&1); status=$$?; \
	printf '%s\n' "$$report"; \
	if [ $$status -eq 2 ] && printf '%s' "$$report" | grep -q 'Request failed\|error sending request'; then \
		echo 'DEPENDENCIES WERE NOT AUDITED: the vulnerability database (api.osv.dev) is not reachable.'; \
	else exit $$status; fi

bench: $(READY) ## Run benchmarks; print ratios to a reference of the same run.
	$(RUN) -m bench

docs: $(READY_DEMO) $(DOCS) ## Build the documentation served under /docs/.

licences: $(READY) ## Update the table of the dependencies' licences.
	$(RUN) docs/licences.py

asyncapi: export RUMMY_EPHEMERAL = 1
asyncapi: $(READY) ## Update the AsyncAPI description of the sockets.
	PYTHONPATH=. $(RUN) docs/asyncapi.py

screenshots: $(READY) ## Take a screenshot of every page (needs Chromium).
	$(RUN) -m tests.browser.screenshots $(ARGS)

findings: ## Show what public libraries do otherwise than expected (network, node).
	@for script in findings/*.sh; do echo "== $$script"; "$$script" || exit 1; done

pictures: $(READY) ## Update the documentation's screenshots (needs Chromium).
	$(RUN) -m tests.browser.pictures $(ARGS)

messages: export RUMMY_EPHEMERAL = 1
messages: $(READY) ## Update the translation catalogues from the sources.
	$(RUN) manage.py update_messages

format: $(READY) ## Format and fix the sources for `make check`.
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

clean: ## Remove the virtualenv, build output and demo data.
	rm -rf .venv .tools .rummy build

$(READY): $(UV) .venv/bin/python pyproject.toml uv.lock | writable
	@echo "Installing locked dependencies."
	@$(SYNC)
	@touch $(READY) $(READY_DEMO)

$(READY_DEMO): $(UV) .venv/bin/python pyproject.toml uv.lock | writable
	@echo "Installing locked dependencies."
	@$(SYNC) --no-dev
	@touch $(READY_DEMO)

$(DOCS): $(READY_DEMO) mkdocs.yml CONTRIBUTING.md CONTEXT.md CHANGELOG.md $(shell find docs -type f)
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --quiet

$(UV): | writable
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed.")'
	@$(PYTHON) -m venv .tools && .tools/bin/python -m pip install --quiet --disable-pip-version-check uv

.venv/bin/python: | writable
	@$(PYTHON) -m venv .venv

.PHONY: writable
writable:
	@test -w . || { echo "$$(id -un) may not write into $(CURDIR): clone the repository as this user." >&2; exit 1; }
