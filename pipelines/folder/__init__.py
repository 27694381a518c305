"""A folder of articles in place of a server: its files are read, kept, and answer the requests of
a check or a search.
"""
