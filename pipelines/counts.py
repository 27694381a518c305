"""Counts in messages, such as "1 abstract" and "3,000 abstracts"."""


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or plural, by default the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_articles_and_abstracts(articles: int, abstracts: int) -> str:
    """Return "2 articles and 1 abstract", without a count of 0; "0 articles" for none of both."""
    counted = (("article", articles), ("abstract", abstracts))
    parts = [format_count(number, noun) for noun, number in counted if number]
    return " and ".join(parts) or "0 articles"


def name_sentences(first: int, last: int, dash: str = "-") -> str:
    """Return what sentences are called by their numbers, such as "sentence 3", "sentences 3-5"."""
    return f"sentence {first}" if first == last else f"sentences {first}{dash}{last}"
