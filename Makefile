# The commands of the house. Needs Python 3.11 or newer, and make.
#
# VENV   the environment to use (built from hash-pinned files when missing or outdated); dev serves play and run
# PYTHON the interpreter to build it with; by default the first of python3.11 ... python3 that is new enough

VENV   ?= .venv
PYTHON ?=
TABLE  ?=
SYSTEM ?=
PY     := $(VENV)/bin/python
MAKEFLAGS += --no-print-directory

# Tests are shared out among workers; whoever has nothing left takes from the others.
SHARED := -n auto --dist worksteal

# The one package that has no wheel is needed by a peer of the tests only.
PIP_INSTALL := -m pip --disable-pip-version-check --quiet --quiet install --require-hashes \
	--only-binary :all: --no-binary lark-parser
LOCK   := $(VENV)-lock/bin/python -m uv --quiet pip compile --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links $(if $(UPGRADE),--upgrade)

export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PYTHONUTF8 := 1
# Each worker, and each process that a test begins, would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
export TABLE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help play run quick test nightly texts schemas fingerprint reach bench format lock clean

help: ## show this list
	@awk -F ' *## *' '/^[a-z]+:.*##/ { sub(/:.*/, "", $$1); printf "make %-8s %s\n", $$1, $$2 }' Makefile

play: $(VENV)/.play ## a local table in the browser, without Discord (TABLE=name picks the table)
	@$(PY) -m bot play $(if $(TABLE),--table "$$TABLE")

run: $(VENV)/.run ## the bot on Discord (settings in .env)
	@$(PY) -m bot

# Python files that differ from what the branch began with, tracked or not.
CHANGED := { git diff --name-only --relative --diff-filter=d "$$(git merge-base HEAD main 2>/dev/null || echo HEAD)" -- '*.py'; \
	git ls-files --others --exclude-standard -- '*.py'; } | sort -u
QUICK := tests/rules tests/conformance tests/presenters tests/services

quick: $(VENV)/.dev ## what to run while working: ruff, pyright of what changed, quick tests (SYSTEM=name: of one system)
	@$(PY) -m ruff check . 2>&1
	@$(PY) -m ruff format --check . 2>&1
	@changed=$$($(CHANGED)); [ -z "$$changed" ] || $(PY) -m pyright --pythonpath $(PY) $$changed 2>&1
	@$(PY) -m pytest $(SHARED) --hypothesis-profile=quick -m "not slow" \
		$(if $(SYSTEM),-k $(SYSTEM) tests/discord tests/property) $(QUICK) 2>&1

# The tools write to standard output, so that the order stays; pytest is last and its summary the last line.
# Pyright is one of the tests (tests/gates/test_types.py): it runs beside the others. Modules are
# compiled before, since all workers would compile each of them at once.
test: $(VENV)/.dev ## everything that CI runs: ruff, import contracts, tests and pyright
	@$(PY) -m ruff check . 2>&1
	@$(PY) -m ruff format --check . 2>&1
	@$(PY) -c 'from importlinter.cli import lint_imports_command as check; check()' --no-cache --no-logo 2>&1
	@$(PY) -m compileall -q -j 0 -x '/test_' rules bot cogs tests 2>&1
	@$(PY) -m pytest $(SHARED) 2>&1

nightly: $(VENV)/.dev ## an hour: a death at every step, 1,000 random kills, longest journals, up to 2,000 flows a system
	@$(PY) -m tests.example_reach 2>&1
	@$(PY) -m pytest $(SHARED) --hypothesis-profile=nightly 2>&1

texts: $(VENV)/.dev ## print all that the bot can say, a line each, to be read aloud (TEXTS="ego mb-fact": of these files or keys)
	@$(PY) -m tests.presenters.sample_texts $(TEXTS)

schemas: $(VENV)/.dev ## write docs/schemas from the forms that read the files
	@$(PY) -m bot.schemas

fingerprint: $(VENV)/.dev ## record the fields of all stored classes, after a change of what is stored
	@$(PY) -m tests.gates.stored_form

reach: $(VENV)/.dev ## list functions of the rules that only worked examples reach, in minutes (SYSTEM=name: of one system)
	@$(PY) -m tests.example_reach $(SYSTEM)

bench: $(VENV)/.dev ## measure, as ratios against a peer in the same run
	@$(PY) -m benchmarks

format: $(VENV)/.dev ## put the code into shape
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

lock: $(VENV)-lock/.lock ## make the requirement files again (UPGRADE=1 takes newer versions)
	@for name in run play server dev lock; do \
		$(LOCK) requirements/$$name.in --output-file requirements/$$name.txt >/dev/null || exit 1; \
	done

clean: ## remove the environments and caches (never a database)
	rm -rf .venv .venv-lock .pytest_cache .ruff_cache .hypothesis .import_linter_cache build
	find rules bot cogs benchmarks tests -name __pycache__ -type d -prune -exec rm -rf {} +

# What is installed is marked by stamp files: run ⊆ play ⊆ dev, with the same pins.
$(VENV)/.run: requirements/run.txt | $(VENV)/.made
	@echo "Installing $< into $(VENV)"
	@$(PY) $(PIP_INSTALL) -r $<
	@touch $(VENV)/.run

$(VENV)/.play: requirements/play.txt | $(VENV)/.made
	@echo "Installing $< into $(VENV)"
	@$(PY) $(PIP_INSTALL) -r $<
	@touch $(VENV)/.run $(VENV)/.play

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.made
	@echo "Installing $< into $(VENV)"
	@$(PY) $(PIP_INSTALL) -r $<
	@touch $(VENV)/.run $(VENV)/.play $(VENV)/.dev

$(VENV)-lock/.lock: requirements/lock.txt | $(VENV)-lock/.made
	@$(VENV)-lock/bin/python $(PIP_INSTALL) -r $<
	@touch $@

%/.made:
	@found=; for python in $(or $(PYTHON),python3.11 python3.12 python3.13 python3); do \
		version=$$($$python -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue; \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
			$$python -m venv $(@D) && touch $@; exit; \
		fi; \
		found=" ($$python is $$version)"; \
	done; \
	echo "Storyguide needs Python 3.11 or newer, and found none$$found. Name one: make PYTHON=/path/to/python" >&2; exit 1
