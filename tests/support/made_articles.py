"""Articles made up for tests: random words of a small vocabulary, so that terms repeat."""

import random

from citespan.pipelines.corpus.article import Article, Sentence

WORDS = (
    "p53 TGF-β1 kinase kinases binding bind binds cell cells mouse mice IL-2 the of and in "
    "α-synuclein receptor receptors Müller signalling damage repair repaired gene genes not"
).split()


def random_article(article_id: str, sentences: int, generator: random.Random) -> Article:
    """An article of so many sentences of 1 to 60 words, in paragraphs, with sentences given."""
    text = ""
    offsets = []
    for _ in range(sentences):
        if text:
            text += generator.choice([" ", " ", " ", "\n\n"])
        start = len(text)
        length = generator.randint(1, 60)
        text += " ".join(generator.choice(WORDS) for _ in range(length)) + "."
        offsets.append(Sentence(start, len(text)))
    return Article(
        article_id, f"Title of {article_id}", text, f"{article_id}.txt", (), tuple(offsets)
    )
