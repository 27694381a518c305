"""A checked manuscript as a page of its own."""
