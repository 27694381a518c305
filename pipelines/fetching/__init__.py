"""Fetching the articles that others cite, as far as they are free."""
