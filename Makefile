# make demo   everything from nothing: node, index, search, evaluation
# make test   make check, then all tests (a real node is started and stopped)
PYTHON ?= python3
BIN := .venv/bin
PACKAGES := cli deploy es_mappings experiments pipelines serve
SAMPLE := pipelines/corpus/sample
CITANCE := When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]

FUZZED := jats medline pubmed tac2014 scisumm umls
FUZZ_SECONDS ?= 300
SOAK_MINUTES ?= 10

.PHONY: install demo test check site style types editors layers duplicates bench console fuzz screenshots soak constraints clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -qq --constraint constraints.txt --editable '.[dev]'
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

# The page of console requests, from the mappings.
console: install
	$(BIN)/python -m citespan.deploy.kibana.page

# The pictures of README, of the sample: with a node in use, and Debian's Chromium.
screenshots: install
	$(BIN)/citespan index $(SAMPLE)/jats
	$(BIN)/python docs/screenshots.py

bench: install
	$(BIN)/python -m benchmarks

# Each reader for FUZZ_SECONDS; stops at the first input that breaks one.
fuzz: install
	$(BIN)/pip install -qq --constraint constraints.txt --editable '.[fuzz]'
	for reader in $(FUZZED); do \
	    $(BIN)/python tests/fuzz/run.py $$reader -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

# Loads through faults on a cluster that loses nodes, for SOAK_MINUTES; prints the seed of each round.
soak: install
	PYTHONPATH=tests SOAK_MINUTES=$(SOAK_MINUTES) $(BIN)/python tests/soak/run.py

constraints:
	rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	build/constraints/bin/pip install -qq '.[dev,fuzz]'
	build/constraints/bin/pip freeze --exclude citespan > constraints.txt

clean:
	rm -rf .venv build *.egg-info
