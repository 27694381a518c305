"""What the docs state of citespan's figures: each file makes those of one statement."""
