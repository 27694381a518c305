"""Which sentences of an abstract answer a question."""
