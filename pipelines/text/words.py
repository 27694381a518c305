"""The words of a sentence as a reader sees them: each name of a gene or chemical in one piece.

`lucene.find_words` finds the words of the index, which are smaller: it splits "TGF-β1" at the
hyphen and "5'-UTR" at both marks, as the server does. Noun phrases, weights of terms and what is
shown to users need the name as a whole: the three words of a phrase are three names, stop words
are looked up as they are written ("e.g", "isn't"), and a background corpus counts "PU.1" and
"IL-2", not "2". Queries may use these words freely, for the server analyses what is sent to it.

Stop words are the closed classes of English grammar, compiled for citespan: articles, pronouns,
determiners, prepositions, conjunctions, auxiliary and modal verbs with their contractions, and the
adverbs that only join or grade. "not" and "no" belong to them, since a search scores words and
knows no negation; nouns, main verbs and numbers don't.
"""

from typing import Final

from citespan.pipelines.patterns import compile_once

_LETTER = r"[^\W_\u0300-\u036f]|[\u0300-\u036f]"
_CHARACTER = rf"(?:{_LETTER})"
# What joins characters into one name: "TGF-β1", "Crohn's", "5'-UTR", "PU.1", "1,25-vitamin", "e.g".
_JOINT = r"(?:['’′″]?[-‐‑–]|['’′]|\.(?=\d)|(?<=\b[^\W\d_])\.(?=[^\W\d_]\b)|(?<=\d),(?=\d))"
_WORD = rf"(?>{_CHARACTER}+(?:{_JOINT}(?>{_CHARACTER}+))*)"


def words(text: str) -> list[str]:
    """Return the words in order, as they stand in the text, without the punctuation around them."""
    return compile_once(_WORD).findall(text)


def word_offsets(text: str) -> list[tuple[int, int]]:
    """Return where the words of `words` stand: (start, end) of each."""
    return [match.span() for match in compile_once(_WORD).finditer(text)]


def is_number(word: str) -> bool:
    """Whether a word is a numeric value ("12", "3.5", "1,000", "10-15"): it has no letter."""
    return not any(character.isalpha() for character in word)


_ARTICLES_AND_DETERMINERS = """
a an the this that these those all any both each either every few many more most much neither no
none other others another some such same own several less least enough various
"""
_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
she her hers herself it its itself they them their theirs themselves one ones oneself who whom
whose which what whoever whatever whichever someone something somebody anyone anything anybody
everyone everything everybody nobody nothing
"""
_PREPOSITIONS = """
about above across after against along amid among amongst around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near of
off on onto out outside over per since than through throughout till to toward towards under
underneath unlike until up upon via versus vs with within without
"""
_CONJUNCTIONS = """
and or nor but so yet if unless although though because whereas while whilst when whenever where
wherever whether once lest
"""
_AUXILIARIES = """
am is are was were be been being have has had having do does did doing done can could may might
must shall should will would ought cannot isn't aren't wasn't weren't haven't hasn't hadn't don't
doesn't didn't can't couldn't mustn't shouldn't won't wouldn't it's let's that's there's
"""
_ADVERBS = """
again also almost already always away even ever further furthermore hence here how however indeed
instead just maybe meanwhile moreover namely nevertheless nonetheless never not now often only
otherwise perhaps quite rather really respectively sometimes soon still then there thereby
therefore therein thereof thus together too very well why e.g i.e eg ie etc et al cf
"""

STOP_WORDS: Final = frozenset(
    " ".join(
        (_ARTICLES_AND_DETERMINERS, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES, _ADVERBS)
    ).split()
)
"""Lower-case words, with the straight apostrophe."""


def is_stop_word(word: str) -> bool:
    """Whether `word`, in any case and with either apostrophe, is a function word."""
    return word.lower().replace("’", "'") in STOP_WORDS
