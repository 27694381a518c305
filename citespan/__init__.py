"""Where exactly is the evidence? Cited spans of articles, found with Elasticsearch.

The main job in a handful of functions:

- `connect`: the server that all others use;
- `index`: load articles or abstracts;
- `search`: from a citing sentence, or many, to the passages that they are about;
- `search_all`: from a citing sentence to the articles that support it, of all that are indexed;
- `answers`: from a research question to the sentences that answer it;
- `check`: from a manuscript to the evidence for each of its citations;
- `link`: the same for the citations of all articles that are indexed;
- `cited`: what an indexed article is cited for;
- `summarise`: the sentences of an indexed article that say best what it is cited for;
- `articles`, `show`, `delete`: what is indexed;
- `evaluate`: run an experiment.

All but `connect` take a client of the server as `client`. Without one they use the client that
`connect` returned last, or call `connect()`. Every error that a user can mend is a `CitespanError`,
whose message says what is wrong, where, and what to do.

The folders beside this file are links to the top-level folders of the project, so that a checkout
has the same import paths as an installed wheel.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # imported when a name is used: the command line imports this package too
    from citespan.answering import answers
    from citespan.browsing import ShownSentence, articles, show
    from citespan.checking import check
    from citespan.connecting import connect
    from citespan.corpus_searching import search_all
    from citespan.deleting import delete
    from citespan.evaluating import evaluate
    from citespan.linking import cited, link
    from citespan.loading import index
    from citespan.pipelines.answers.answer import Answer
    from citespan.pipelines.citations.checked import CheckedCitation, CheckedManuscript
    from citespan.pipelines.citations.citation_link import CitationLink
    from citespan.pipelines.citations.cited import CitedArticle
    from citespan.pipelines.citations.link_report import LinkReport
    from citespan.pipelines.citations.summaries.summary import Summary, SummarySentence
    from citespan.pipelines.errors import CitespanError
    from citespan.pipelines.evaluation.results import Results
    from citespan.pipelines.indexing.documents.windows import SpanLengths
    from citespan.pipelines.indexing.report import LoadReport
    from citespan.pipelines.ranking.article_ranking import ArticleEvidence
    from citespan.pipelines.ranking.evidence import Evidence
    from citespan.pipelines.reformulation.options import Options
    from citespan.pipelines.retrieval.passage import Passage
    from citespan.searching import search
    from citespan.summarising import summarise

__all__ = [
    "Answer",
    "ArticleEvidence",
    "CheckedCitation",
    "CheckedManuscript",
    "CitationLink",
    "CitedArticle",
    "CitespanError",
    "Evidence",
    "LinkReport",
    "LoadReport",
    "Options",
    "Passage",
    "Results",
    "ShownSentence",
    "SpanLengths",
    "Summary",
    "SummarySentence",
    "answers",
    "articles",
    "check",
    "cited",
    "connect",
    "delete",
    "evaluate",
    "index",
    "link",
    "search",
    "search_all",
    "show",
    "summarise",
]

_MODULES = {
    "Answer": "pipelines.answers.answer",
    "ArticleEvidence": "pipelines.ranking.article_ranking",
    "CheckedCitation": "pipelines.citations.checked",
    "CheckedManuscript": "pipelines.citations.checked",
    "CitationLink": "pipelines.citations.citation_link",
    "CitedArticle": "pipelines.citations.cited",
    "CitespanError": "pipelines.errors",
    "Evidence": "pipelines.ranking.evidence",
    "LinkReport": "pipelines.citations.link_report",
    "LoadReport": "pipelines.indexing.report",
    "Options": "pipelines.reformulation.options",
    "Passage": "pipelines.retrieval.passage",
    "Results": "pipelines.evaluation.results",
    "ShownSentence": "browsing",
    "SpanLengths": "pipelines.indexing.documents.windows",
    "Summary": "pipelines.citations.summaries.summary",
    "SummarySentence": "pipelines.citations.summaries.summary",
    "answers": "answering",
    "articles": "browsing",
    "check": "checking",
    "cited": "linking",
    "connect": "connecting",
    "delete": "deleting",
    "evaluate": "evaluating",
    "index": "loading",
    "link": "linking",
    "search": "searching",
    "search_all": "corpus_searching",
    "show": "browsing",
    "summarise": "summarising",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
