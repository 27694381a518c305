"""Importing citespan's objects into Kibana."""
