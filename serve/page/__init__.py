"""What pages for browsers have in common, whichever command writes them."""
