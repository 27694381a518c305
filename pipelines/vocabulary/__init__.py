"""UMLS and other vocabularies: the concept store, and longest match over a text."""
