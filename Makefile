# make demo   everything from nothing: node, index, search, evaluation
# make test   make check, then all tests (a real node is started and stopped)
PYTHON ?= python3
BIN := .venv/bin
PACKAGES := cli deploy es_mappings experiments pipelines serve
SAMPLE := pipelines/corpus/sample
CITANCE := When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]

FUZZED := jats medline pubmed tac2014 scisumm tei markdown bibtex ris latex text jsonl umls
FUZZ_SECONDS ?= 300
SOAK_MINUTES ?= 10

.PHONY: install demo test check site style types editors layers duplicates bench fuzz screenshots soak constraints lowest audit pin-images clean

install: .venv/installed

# Every file that is installed has a hash in constraints/. What builds comes first: some packages have
# no wheel, and an environment that pip makes to build them checks no hashes.
HASHED := pip install -qq --require-hashes --no-build-isolation --requirement

.venv/installed: pyproject.toml $(wildcard constraints/*.txt)
	$(PYTHON) -m venv .venv
	$(BIN)/$(HASHED) constraints/build.txt
	$(BIN)/$(HASHED) constraints/develop.txt
	$(BIN)/pip install -qq --no-deps --no-build-isolation --editable .
	$(BIN)/pip check
	touch $@

demo: install
	$(BIN)/citespan node up
	$(BIN)/citespan index $(SAMPLE)/jats $(SAMPLE)/tac2014 --models vsm,bm25,dfr,lmd
	$(BIN)/citespan search "$(CITANCE)" --article p53-dna-damage
	$(BIN)/citespan evaluate run experiments/models.yml
	@echo
	@echo "The node is still running: try $(BIN)/citespan search --help, stop it with $(BIN)/citespan node down"

# Two at a time; those that take longest first.
check: install
	$(MAKE) --no-print-directory --jobs 2 --output-sync editors types duplicates site layers style

style:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

editors:
	$(BIN)/basedpyright

layers:
	$(BIN)/lint-imports

duplicates:
	$(BIN)/pylint $(PACKAGES)

# The documentation as a site in build/site; a warning is an error.
site: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

# Three at a time, each with a node of its own: on two processors, one of them mostly waits. Commands
# are started hundreds of times, so what they import is compiled once, whatever the environment says.
# In the order of their names, the longest files come first, those of few tests among them.
test: check
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

# The pictures of the docs, of the sample: with a node in use, and Debian's Chromium.
screenshots: install
	$(BIN)/citespan index $(SAMPLE)/jats
	$(BIN)/python docs/screenshots.py

bench: install
	$(BIN)/python -m benchmarks

# Each reader for FUZZ_SECONDS; stops at the first input that breaks one, or takes it too long.
fuzz: install
	$(BIN)/$(HASHED) constraints/fuzz.txt
	for reader in $(FUZZED); do \
	    $(BIN)/python tests/fuzz/run.py $$reader -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

# Commands of all kinds through faults on a cluster that loses nodes, for SOAK_MINUTES; prints the seed of each round.
soak: install
	PYTHONPATH=tests:tests/support SOAK_MINUTES=$(SOAK_MINUTES) $(BIN)/python tests/soak/run.py

# The newest versions that pyproject.toml allows, with the hashes of all their files, for every
# platform; with UPGRADE= only what a changed bound asks for.
UPGRADE ?= --upgrade
LOCK = build/tools/bin/uv pip compile --quiet --universal --python-version 3.11.0 --no-header \
    --no-annotate --no-emit-index-url --generate-hashes --fork-strategy fewest

constraints: build/tools/installed
	$(LOCK) $(UPGRADE) --extra dev pyproject.toml --output-file constraints/develop.txt
	$(LOCK) --constraint constraints/develop.txt pyproject.toml --output-file constraints/install.txt
	$(LOCK) --constraint constraints/develop.txt constraints/build.in --output-file constraints/build.txt
	$(LOCK) $(UPGRADE) constraints/fuzz.in --output-file constraints/fuzz.txt
	$(LOCK) $(UPGRADE) constraints/tools.in --output-file constraints/tools.txt

build/tools/installed: constraints/tools.txt
	rm -rf build/tools && $(PYTHON) -m venv build/tools
	build/tools/bin/$(HASHED) constraints/tools.txt
	touch $@

# Units and contracts with the lowest versions that pyproject.toml allows, on Python 3.11.
LOWEST := build/lowest/bin/python
lowest: build/tools/installed
	build/tools/bin/uv pip compile --quiet --python-version 3.11 --resolution lowest-direct --extra dev \
	    pyproject.toml constraints/build.in --output-file build/lowest.txt
	build/tools/bin/uv venv --quiet --clear --python 3.11 build/lowest
	build/tools/bin/uv pip install --quiet --python $(LOWEST) --requirement build/lowest.txt
	build/tools/bin/uv pip install --quiet --python $(LOWEST) --no-deps --no-build-isolation --editable .
	$(LOWEST) -m pytest --numprocesses 2 --dist loadfile tests/unit tests/contract

# Known advisories of everything that is installed, and what citespan consists of, as CycloneDX, in
# build/citespan.cdx.json. It asks a service of advisories, so it needs a network.
AUDIT := build/tools/bin/pip-audit --disable-pip --require-hashes

audit: build/tools/installed
	-$(AUDIT) --requirement constraints/install.txt --format cyclonedx-json --output build/citespan.cdx.json
	$(AUDIT) $(addprefix --requirement ,$(wildcard constraints/*.txt))

# Writes the digest that each tag of an image has today behind it; it asks the registries, so it
# needs Docker and a network.
pin-images: install
	$(BIN)/python -m citespan.deploy.images

clean:
	rm -rf .venv build *.egg-info
