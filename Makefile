# Needs only python3 >= 3.11 (with venv) and make; everything else is fetched as locked.
.PHONY: help doctor audit demo test test-all coverage soak drill rehearsal compose-trial check bench docs screenshots pictures licences asyncapi wheel messages format clean
.DEFAULT_GOAL := demo

APPS := core players wallet tables tournaments finance staff
PYTHON ?= python3
UV := .tools/bin/uv
RUN := .venv/bin/python
DOCS := build/pages/docs/index.html
READY := .venv/ready
READY_DEMO := .venv/ready-demo
# A machine whose certificates are its own keeps them in the system's store.
SYNC := sh -c '"$$0" sync --quiet --frozen --inexact --extra embedded --python .venv/bin/python "$$@" 2>/dev/null \
	|| UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 "$$0" sync --quiet --frozen --inexact --extra embedded --python .venv/bin/python "$$@"' $(UV)
export UV_PROJECT_ENVIRONMENT := .venv
# What Python compiles once serves every process after it, and lies beside no source.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.tools/pycache

help: ## Say what can be made.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sort -u | awk -F ':.*## ' '{ printf "make %-12s %s\n", $$1, $$2 }'

demo: $(READY_DEMO) $(DOCS) ## Run the whole site on this machine; Ctrl-C stops it.
	@$(RUN) manage.py demo $(ARGS)

doctor: $(READY_DEMO) ## Say what is missing on this machine.
	@$(RUN) manage.py doctor $(ARGS)

test: $(READY) ## Run the quick suite on servers of their own.
	$(RUN) -m pytest -n 3 --dist loadgroup --no-loadscope-reorder $(ARGS)

test-all: $(READY) ## Run what `make test` leaves out: races, kills, more browsers and amounts.
	$(RUN) -m pytest -n 4 --dist loadgroup --no-loadscope-reorder -m "extended and not soak" --timeout 300 $(ARGS)

coverage: $(READY) ## Print the branch coverage of `make test` and `make test-all` by app.
	$(RUN) -m tests.coverage_by_app $(ARGS)

wheel: $(READY) ## Build the rules as a library of its own, into dist/.
	cd rummy && ../$(RUN) -m hatchling build --target wheel --directory ../dist

soak: $(READY) ## Run the heavy amounts.
	$(RUN) -m pytest -m soak --timeout 3600 $(ARGS)

drill: $(READY) ## Bring a house back to a moment from its archived log, and say how long it takes.
	$(RUN) -m pytest tests/wallet/ledger/test_point_in_time.py -m soak --timeout 900 $(ARGS)

compose-trial: $(READY) ## Run docker-compose.yml in Podman and play a pool in it.
	$(RUN) -m tests.compose $(ARGS)

rehearsal: $(READY) ## Let a house of many processes lose each of them; needs Debian's nginx, PgBouncer and Patroni.
	$(RUN) -m tests.rehearsal $(ARGS)

check: export RUMMY_EPHEMERAL = 1
check: $(READY) ## Lint, types, imports, migrations, deployment, known vulnerabilities.
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
	HTTPS=1 STAFF_MFA_REQUIRED=1 EMAIL_URL=smtp+tls://localhost:587 \
	$(RUN) manage.py check --deploy --fail-level WARNING
	@$(MAKE) --no-print-directory audit

audit: $(UV) ## Look up what uv.lock names among known vulnerabilities.
	@report=$$(UV_HTTP_RETRIES=1 $(UV) audit --frozen --preview-features audit-command $(AUDIT_ARGS) 2>&1); status=$$?; \
	printf '%s\n' "$$report"; \
	if [ $$status -eq 2 ] && printf '%s' "$$report" | grep -q 'Request failed\|error sending request'; then \
		echo 'DEPENDENCIES WERE NOT AUDITED: the database of vulnerabilities (api.osv.dev) cannot be reached from here.'; \
	else exit $$status; fi

bench: $(READY) ## Print what the hot paths do, as ratios to a reference in the same run.
	$(RUN) -m bench

docs: $(READY_DEMO) $(DOCS) ## Build the documentation that the site serves under /docs/.

licences: $(READY) ## Update the table of the dependencies' licences.
	$(RUN) docs/licences.py

asyncapi: export RUMMY_EPHEMERAL = 1
asyncapi: $(READY) ## Update the AsyncAPI description of the sockets.
	PYTHONPATH=. $(RUN) docs/asyncapi.py

screenshots: $(READY) ## Take a picture of every page; needs Chromium.
	$(RUN) -m tests.browser.screenshots $(ARGS)

pictures: $(READY) ## Take the pictures of the documentation; needs Chromium.
	$(RUN) -m tests.browser.pictures

messages: export RUMMY_EPHEMERAL = 1
messages: $(READY) ## Bring the catalogues of all languages in line with the sources.
	$(RUN) manage.py update_messages

format: $(READY) ## Put the sources in order, as `make check` wants them.
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

clean: ## Forget the environment and the demo's data.
	rm -rf .venv .tools .rummy build

$(READY): $(UV) .venv/bin/python pyproject.toml uv.lock
	@echo "Fetching what uv.lock names."
	@$(SYNC)
	@touch $(READY) $(READY_DEMO)

$(READY_DEMO): $(UV) .venv/bin/python pyproject.toml uv.lock
	@echo "Fetching what uv.lock names."
	@$(SYNC) --no-dev
	@touch $(READY_DEMO)

$(DOCS): $(READY_DEMO) mkdocs.yml CONTRIBUTING.md CONTEXT.md CHANGELOG.md $(shell find docs -type f)
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --quiet

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed.")'
	@$(PYTHON) -m venv .tools && .tools/bin/python -m pip install --quiet --disable-pip-version-check uv

.venv/bin/python:
	@$(PYTHON) -m venv .venv
