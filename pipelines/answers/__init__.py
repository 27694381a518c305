"""Which zone of an abstract a sentence is in, and which sentences answer a question."""
