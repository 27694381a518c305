"""What citespan brings into Kibana, made from the mappings."""
