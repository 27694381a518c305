"""Harman's S-stemmer (1991), as in Lucene's EnglishMinimalStemmer: the plural's ending off."""


def stemmed(word: str) -> str:
    """The singular of a word in lower case, as far as its ending tells."""
    if len(word) < 3 or word[-1] != "s" or word[-2] in "us":
        return word
    if word[-2] == "e":
        if len(word) > 3 and word[-3] == "i" and word[-4] not in "ae":
            return word[:-3] + "y"
        if word[-3] in "iaoe":
            return word
    return word[:-1]
