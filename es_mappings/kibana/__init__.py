"""What citespan imports into Kibana, made from the mappings."""
