"""Bringing citespan's objects into Kibana."""
