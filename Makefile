# make demo   everything from nothing: node, index, search, evaluation
# make test   make check, then all tests (a real node is started and stopped)
PYTHON ?= python3
BIN := .venv/bin
PACKAGES := cli deploy es_mappings experiments pipelines
SAMPLE := pipelines/corpus/sample
CITANCE := When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]

FUZZED := jats medline pubmed tac2014 scisumm umls
FUZZ_SECONDS ?= 300

.PHONY: install demo test check bench console fuzz constraints clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -qq --constraint constraints.txt --editable '.[dev]'
	mkdir -p build/tree/citespan
	for package in $(PACKAGES); do ln -sfn ../../../$$package build/tree/citespan/$$package; done
	touch $@

demo: install
	$(BIN)/citespan node up
	$(BIN)/citespan index $(SAMPLE)/jats $(SAMPLE)/tac2014 --models vsm,bm25,dfr,lmd
	$(BIN)/citespan search "$(CITANCE)" --article p53-dna-damage
	$(BIN)/citespan evaluate run experiments/models.yml
	@echo
	@echo "The node is still running: try $(BIN)/citespan search --help, stop it with $(BIN)/citespan node down"

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pylint $(PACKAGES)

# Two tests at a time, each of the two with a node of its own.
test: check
	$(BIN)/pytest --numprocesses 2 --dist loadfile

# The page of console requests, from the mappings.
console: install
	$(BIN)/python -m citespan.deploy.kibana.page

bench: install
	$(BIN)/python -m benchmarks

# Each reader for FUZZ_SECONDS; stops at the first input that breaks one.
fuzz: install
	$(BIN)/pip install -qq --constraint constraints.txt --editable '.[fuzz]'
	for reader in $(FUZZED); do \
	    $(BIN)/python tests/fuzz/run.py $$reader -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

constraints:
	rm -rf build/constraints && $(PYTHON) -m venv build/constraints
	build/constraints/bin/pip install -qq '.[dev,fuzz]'
	build/constraints/bin/pip freeze --exclude citespan > constraints.txt

clean:
	rm -rf .venv build *.egg-info
