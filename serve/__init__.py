"""The page to read evidence in, and the JSON API: `citespan serve`."""
