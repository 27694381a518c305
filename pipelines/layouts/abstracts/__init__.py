"""The layout of abstracts, which `pipelines/store/layout.py` names: a document has a whole one."""
