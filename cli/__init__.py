"""The `citespan` command: one module per command group."""
