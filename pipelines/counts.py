"""Counts in messages, such as "1 abstract" and "3,000 abstracts"."""


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or plural, by default the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
