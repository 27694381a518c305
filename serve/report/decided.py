"""What is decided about citations, put into the places that a report has for it.

A report is made once and decided about often, so it has a comment for each citation, which no text
of an article can be, and this is put in its place whenever the report is shown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citespan.pipelines.citations.decisions import JUDGEMENTS, LONGEST_NAME, LONGEST_NOTE, Matched
from citespan.pipelines.written_results import escape

_PLACE = re.compile(r"<!--decision ([^ <>]{0,100})-->")
_PLACE_IN_LINES = re.compile(rf"^{_PLACE.pattern}\n", re.MULTILINE)
_FOLDER = Path(__file__).parent
_SHOWN_PROBLEMS = 3
SAYS = {
    "right": "Right",
    "wrong": "Wrong",
    "to do": "To do",
    "undecided": "Not decided",
    "changed": "Changed since it was decided",
    "disputed": "Disputed",
}
"""What reports call the states of citations."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """Who may decide on a page.

    Attributes:
        check: the id of the check.
        by: the name of the person; "" as long as it is not known.
        is_fixed: whether the name belongs to the token of the person.
        may_decide: whether the person may decide at all.
        problem: what is wrong with what was sent last.
    """

    check: str
    by: str = ""
    is_fixed: bool = False
    may_decide: bool = True
    problem: str = ""


def shorten_problems(problems: Sequence[str]) -> str:
    """Return what is wrong in one line: the first problems, and how many more there are."""
    more = len(problems) - _SHOWN_PROBLEMS
    return "; ".join(problems[:_SHOWN_PROBLEMS]) + (f"; and {more:,} more" if more > 0 else "")


def fill_decisions(html: str, decisions: Matched | None, deciding: Deciding | None = None) -> str:
    """Return a report with what is decided about its citations.

    Args:
        decisions: None for a report without any.
        deciding: who may decide; None for a file that only shows decisions.
    """
    from citespan.serve.page import make_environment  # Jinja is imported only for a page

    if decisions is None:
        return _PLACE.sub("", html)
    template: Any = make_environment(_FOLDER).get_template("decision.html").module

    def show(found: re.Match[str]) -> str:
        name = found[1]
        if not name:
            lines, problem = [*decisions.describe_left()], shorten_problems(decisions.problems)
            return str(template.show_all(lines, problem, deciding, LONGEST_NAME))
        state, decided = decisions.states[name], decisions.find(name)
        return str(
            template.show_one(name, state, SAYS, decided, deciding, JUDGEMENTS, LONGEST_NOTE)
        )

    return _PLACE.sub(show, html)


def fill_markdown(markdown: str, decisions: Matched | None) -> str:
    """Return a report in Markdown with what is decided about its citations, as `fill_decisions`
    does."""

    def show(found: re.Match[str]) -> str:
        if decisions is None:
            return ""
        lines = [f"decided: {each}" for each in decisions.find(found[1])]
        if not found[1]:
            lines = [*decisions.describe_left()]
            lines += filter(None, [shorten_problems(decisions.problems)])
        return "".join([f"- {escape(line)}\n" for line in lines] + ["\n"] * bool(lines))

    return _PLACE_IN_LINES.sub(show, markdown)
