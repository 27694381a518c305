"""A process that reads (`process.py`): `python -m` this folder."""

from citespan.pipelines.quick_start import start_quickly

start_quickly()

from citespan.pipelines.indexing.reading.process import main  # noqa: E402

main()
