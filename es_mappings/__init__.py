"""All that Elasticsearch is told: analysis, similarities, and one module per kind of index."""
