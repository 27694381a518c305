"""What the patterns of wording find together, against each pattern by itself."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citespan.pipelines.ranking.features.wording import find_wording

PATTERNS = {
    "numbers": r"\d+(?:[.,·]\d+)*",
    "p_value": r"\bp\s?[-‐–]?(?:value)?s?\s?[=<>≤≥]|\bp for ",
    "interval": r"\bci\b|confidence interval|\biqr\b|±|\bsd\b|\+/-",
    "percent": r"\d\s?%|percent",
    "ratio": r"\b(?:or|rr|hr|aor|odds ratio|hazard ratio|risk ratio|relative risk)\b\s?[=:,(]?\s?\d"
    r"|mean difference|effect size",
    "significant": r"significan|statistically",
    "no_difference": r"\b(?:no|not|nor|neither|without)\b[^.;]{0,40}"
    r"\b(?:differ|significan|effect|change|improve|associat)|\bsimilar\b|\bcomparable\b",
    "comparison": r"\bcompar(?:ed|ison|ing)\b|\bversus\b|\bvs\b|\bthan\b|\bbetween\b"
    r"|\brelative to\b",
    "direction": r"\b(?:increas|decreas|reduc|improv|lower|higher|greater|fewer|less|more|better"
    r"|worse|superior|inferior|rise|rose|fell|decline)",
    "groups": r"\bgroups?\b|\barms?\b|\bplacebo\b|\bcontrols?\b",
    "shown_in": r"\b(?:table|figure|fig|section|appendix)s?\.?\s?\(?\d",
    "own_work": r"\b(?:we|our|this (?:paper|work|study|article|trial))\b",
    "proposes": r"\b(?:propose|present|introduce|describe|develop|achiev|outperform)",
    "finding": r"\b(?:show|demonstrat|found|find|conclude|suggest|result|reveal|observ|indicat"
    r"|confirm|associat|correlat|detect|predict|lead|led|caus|induc|inhibit|affect)",
    "aim": r"\b(?:aim|objective|purpose|goal|hypothes|sought|investigat|whether)"
    r"|\bto (?:determine|examine|evaluate|assess|explore|compare|study|test|identify|understand"
    r"|establish|describe|estimate|clarify)\b",
    "open_question": r"\b(?:unclear|unknown|controvers|remain|poorly|lack|limited)",
    "modal": r"\b(?:may|might|could|should|can|would|likely|potential)\b",
    "known": r"\b(?:is|are) (?:an?|the|one|common|known|major|thought|considered|associated)\b"
    r"|\bha(?:s|ve) (?:been|become|shown)\b",
    "methods": r"\b(?:were|was) (?:measured|assessed|randomi[sz]ed|recruited|calculated|analy[sz]ed"
    r"|performed|collected|used|recorded|evaluated|defined)\b|\bwill be\b",
    "citation": r"\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]|\bet al\b"
    r"|\((?:[^()]{0,80}\s)?(?:19|20)\d\d[a-z]?[^()]{0,60}\)",
}
PIECES = [
    *("p", "p-value", "p for", "values", "=", "<", "0.03", "12", "1,200", "5 %", "95%", "percent"),
    *("ci", "confidence interval", "±", "sd", "+/-", "or", "aor", "odds ratio", "relative risk"),
    *("mean difference", "no", "not", "neither", "difference", "effect size", "changes", "."),
    *("insignificant", "statistically", "similar", "comparable", "compared", "versus", "than"),
    *("relative to", "increased", "less", "groups", "arm", "placebo", "table", "fig.", "(", ")"),
    *("aims", "objective", "to assess", "whether", "to test", "unclear", "remains", "limited"),
    *("may", "could", "likely", "is a", "are common", "has been", "have shown", "showed", "led"),
    *("we", "our", "this study", "proposed", "results", "was measured", "will be", "[12]", "[1,"),
    *("3]", "(2010)", "smith et al", "1999a", "a", " ", "  ", "_", "é", ";", "subsection", "3b"),
    *("·", "٣", "²", "\u00a0", "\x1c", "\ud800", "αlower", "–fewer", "1.2.3", "4,,5"),
]
texts = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", " ", "\n"])), max_size=40
).map(lambda pieces: "".join(text + space for text, space in pieces))


@settings(max_examples=300, deadline=None)
@given(text=texts)
def test_all_patterns_together_find_what_each_finds_alone(text: str) -> None:
    found = find_wording(text)
    assert found.keys() == PATTERNS.keys()
    for name, pattern in PATTERNS.items():
        assert sorted(found[name]) == [match.start() for match in re.finditer(pattern, text)], name


@pytest.mark.parametrize("name", PATTERNS)
def test_some_piece_is_found_by_each_pattern(name: str) -> None:
    assert any(find_wording(f"{piece} {other}")[name] for piece in PIECES for other in PIECES)
