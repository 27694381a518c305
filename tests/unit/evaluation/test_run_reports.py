"""Tables, plots and the page of earlier runs: what they show, and that it is always the same."""

import base64
import csv
import hashlib
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

import orjson
import pytest
import typer
from axe_playwright_python.sync_playwright import Axe
from lxml import html as lxml_html
from made_outcomes import write_run
from playwright.sync_api import sync_playwright

from citespan.cli.report import report
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.evaluation.plots.drawing import adapt_to_page, render, style
from citespan.pipelines.evaluation.plots.drawn import (
    PLOTS,
    compute_precision,
    draw_reliability,
    draw_systems,
)
from citespan.pipelines.evaluation.read_collection import read_collection, split_articles
from citespan.pipelines.evaluation.run_folder import ReplayedRun, read_run_folder, replay_run
from citespan.pipelines.evaluation.sentence_bm25 import SentenceBM25
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.retrieval.merge import ScoredSpan

SETTINGS = {
    **{f"top_{top}": {"top": top} for top in (1, 2, 3)},
    "ranked": {"ranker": "out-of-fold"},
    "nothing": {"merge": False},
}
ATTACK = "<script>alert('citance')</script>"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample's citances with mark-up in them, as a collection of one's own."""
    read = read_collection(f"tac2014:{sample('tac2014')}")
    lines = [
        {
            "id": article.id,
            "text": article.text,
            "citances": [
                {
                    "text": f"{citance.text} {ATTACK}",
                    "spans": marked.spans,
                    "number": citance.number,
                }
                | {"annotator": marked.annotator, "citing_article": citance.citing_article}
                for citance in read.citances
                if citance.article_id == article.id
                for marked in citance.annotations
            ],
        }
        for article in read.articles.values()
    ]
    file = tmp_path_factory.mktemp("collection") / "mine.jsonl"
    file.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return f"jsonl:{file}"


@pytest.fixture(scope="module")
def collection(source: str) -> Collection:
    return read_collection(source)


@pytest.fixture(scope="module")
def outcomes(collection: Collection) -> dict[str, list[Outcome]]:
    """What BM25 over sentences finds, in several numbers, as probabilities, or not at all."""
    articles = split_articles(collection)
    found = [
        SentenceBM25(articles[citance.article_id]).retrieve(citance.text, 3)
        for citance in collection.citances
    ]
    spans = {
        **{f"top_{top}": [theirs[:top] for theirs in found] for top in (1, 2, 3)},
        "ranked": [
            tuple(ScoredSpan(s.first_sentence, s.last_sentence, 0.9 - 0.4 * place)
                  for place, s in enumerate(theirs[:2]))
            for theirs in found
        ],
        "nothing": [() for _ in found],
    }  # fmt: skip
    return {
        name: [
            Outcome(citance, articles[citance.article_id], theirs)
            for citance, theirs in zip(collection.citances, all_of_them, strict=True)
        ]
        for name, all_of_them in spans.items()
    }


@dataclass(frozen=True)
class Made:
    """A report of three runs, of which one is good."""

    folder: Path
    page: str
    printed: tuple[str, str]
    exit_status: int

    @property
    def plots(self) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in (self.folder / "plots").iterdir()}


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory, outcomes: dict[str, list[Outcome]], source: str
) -> Path:
    target = tmp_path_factory.mktemp("runs") / "run"
    return write_run(target, outcomes, path=source, settings=SETTINGS, description="A & B")


@pytest.fixture(scope="module")
def made(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    parent = tmp_path_factory.mktemp("reported")
    good, old, half = (parent / name for name in ("good", "old", "half"))
    for copy in (good, old, half):
        shutil.copytree(folder, copy)
    (half / "results.json").unlink()
    results = orjson.loads((old / "results.json").read_bytes())
    (old / "results.json").write_bytes(orjson.dumps(results | {"format": 3}))
    out, error = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(error), pytest.raises(typer.Exit) as stopped:
        report([old, good, half], parent / "report.html", top=5)
    page = (parent / "report.html").read_text()
    return Made(good, page, (out.getvalue(), error.getvalue()), stopped.value.exit_code)


@pytest.fixture(scope="module")
def page(made: Made) -> str:
    return made.page


@pytest.fixture(scope="module")
def replayed(folder: Path, collection: Collection) -> ReplayedRun:
    return replay_run(read_run_folder(folder), collection)


def test_the_tables_have_every_system(folder: Path) -> None:
    results = orjson.loads((folder / "results.json").read_bytes())
    markdown, latex = ((folder / f"table.{kind}").read_text() for kind in ("md", "tex"))
    with (folder / "table.csv").open() as file:
        rows = {(row["system"], row["measure"]): row for row in csv.DictReader(file)}
    for system in results["systems"]:
        name = system["system"]
        value = f"{system['measures']['f1']:.3f}".removeprefix("0")
        assert f"| `{name}` | {value}" in markdown
        assert f"{name.replace('_', chr(92) + '_')} & {value}" in latex
        for measure, figure in system["measures"].items():
            assert float(rows[name, measure]["value"]) == figure
            assert float(rows[name, measure]["high"]) == system["intervals"][measure][1]
    assert len(rows) == len(results["systems"]) * len(results["systems"][0]["measures"])
    assert latex.count(r" \\") == len(results["systems"]) + 1
    assert re.search(r"nothing & \.000\$\^\{\*+\}\$ \(\.000--\.000\)", latex)


def test_a_run_has_all_that_decided_its_figures(folder: Path) -> None:
    results = orjson.loads((folder / "results.json").read_bytes())
    assert results["configuration"]["seed"] == 0
    settings = results["configuration"]["systems"]
    assert settings["top_2"]["top"] == 2
    assert settings["top_2"]["spans"] == {"shortest": 1, "longest": 5}
    assert settings["top_2"]["options"]["least_idf"] == 2.5
    assert "run_folder" not in results


def test_the_same_run_is_the_same_bytes_wherever_it_is(
    tmp_path: Path, folder: Path, outcomes: dict[str, list[Outcome]], source: str
) -> None:
    again = write_run(
        tmp_path / "again", outcomes, path=source, settings=SETTINGS, description="A & B"
    )
    for file in again.iterdir():
        assert file.read_bytes() == (folder / file.name).read_bytes(), file.name


def test_plots_are_the_same_bytes_without_date_and_version(
    made: Made, replayed: ReplayedRun
) -> None:
    with style():
        figure = draw_systems(replayed)
        assert made.plots["systems.svg"] == render(figure, "svg")
        assert made.plots["systems.png"] == render(figure, "png")
    for name, data in made.plots.items():
        assert not re.search(rb"tEXt|tIME" if name.endswith("png") else rb"<dc:date>", data)


def test_all_that_can_be_seen_is_drawn(made: Made, replayed: ReplayedRun) -> None:
    assert set(made.plots) == {f"{plot.name}.{kind}" for plot in PLOTS for kind in ("svg", "png")}
    alone = {name: replayed.outcomes[name] for name in ("top_1",)}
    results = replace(
        replayed.results,
        systems=replayed.results.systems[:1],
        configuration=replace(
            replayed.results.configuration,
            systems={"top_1": replayed.results.configuration.systems["top_1"]},
        ),
    )
    single = ReplayedRun(replace(replayed.run, results=results), alone)
    with style():
        drawn = [plot.name for plot in PLOTS if plot.draw(single)]
    assert drawn == ["systems", "precision", "top-k", "span-lengths"]


def test_the_curve_of_probabilities_is_what_came_true(replayed: ReplayedRun) -> None:
    with style():
        figure = draw_reliability(replayed)
    assert figure is not None
    [axes] = figure.axes
    line = axes.get_lines()[1]
    ranked = replayed.outcomes["ranked"]
    first, second = (
        [outcome.spans[place].first_sentence in outcome.gold_sentences for outcome in ranked]
        for place in (0, 1)
    )
    assert list(line.get_xdata()) == pytest.approx([0.5, 0.9])
    expected = [sum(second) / len(second), sum(first) / len(first)]
    assert list(line.get_ydata()) == pytest.approx(expected)


def test_precision_is_of_sentences_pooled(replayed: ReplayedRun) -> None:
    [micro] = (
        system.measures["sentence_precision_micro"]
        for system in replayed.results.systems
        if system.system == "top_2"
    )
    assert compute_precision(replayed.outcomes["top_2"]) == pytest.approx(micro)
    assert compute_precision(replayed.outcomes["nothing"]) == 0


def test_the_page_loads_nothing_and_runs_its_own_script_alone(page: str) -> None:
    root = lxml_html.document_fromstring(page)
    [content] = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    rules = {name: values for name, *values in (part.split() for part in str(content).split(";"))}
    assert rules["default-src"] == ["'none'"]
    assert rules["img-src"] == ["data:"]
    for element, rule in (("style", "style-src"), ("script", "script-src")):
        [text] = re.findall(rf"<{element}>(.*?)</{element}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == [f"'sha256-{digest}'"]
    assert all(
        str(element).startswith("data:image/svg+xml;base64,") for element in root.xpath("//@src")
    )
    assert all(str(element).startswith("#") for element in root.xpath("//@href"))
    assert not root.xpath("//@style | //@*[starts-with(name(), 'on')]")
    assert ATTACK not in page
    assert ATTACK in root.text_content()
    assert "A & B. 11 citances" in root.text_content()


def test_the_page_has_the_citances_on_which_systems_differ_most(
    page: str, replayed: ReplayedRun
) -> None:
    root = lxml_html.document_fromstring(page)
    shown = root.xpath("//details[@class='citance']")
    ranges = [max(map(float, bar.get("data-values").split())) for bar in shown]
    assert ranges == pytest.approx(sorted(replayed.ranges, reverse=True)[:5], abs=1e-6)
    first = shown[0]
    assert [element.text.strip() for element in first.xpath(".//div[@class='system']/h4")] == [
        *SETTINGS
    ]
    marked = {
        " ".join(element.text_content().split()) for element in first.xpath("./blockquote/mark")
    }
    assert marked
    for element in first.xpath(".//ol//mark"):
        assert any(" ".join(element.text_content().split()) in text for text in marked)


def test_the_page_is_labelled(page: str) -> None:
    root = lxml_html.document_fromstring(page)
    identifiers = root.xpath("//@id")
    assert len(identifiers) == len(set(identifiers))
    assert all(name in identifiers for name in root.xpath("//@aria-labelledby | //@for"))
    assert all(str(element) for element in root.xpath("//img/@alt"))
    assert len(root.xpath("//img")) == len(root.xpath("//img/@alt")) == len(PLOTS)


def test_plots_are_dark_where_the_page_is(made: Made) -> None:
    svg = adapt_to_page(made.plots["systems.svg"].decode())
    _, _, drawing = svg.partition("</style>")
    assert not re.search(r"(?:fill|stroke): #(?!000000)", drawing)
    assert "@media(prefers-color-scheme:dark)" in svg


def test_runs_that_cannot_be_reported_are_one_line_each(made: Made) -> None:
    printed, warned = made.printed
    assert re.fullmatch(r"1 of 3 runs reported in .*report\.html", printed.replace("\n", ""))
    assert made.exit_status == 1
    first, second = warned.splitlines()
    assert re.fullmatch(r"not in the report: .*old.*has format 3 of another version.*", first)
    assert re.fullmatch(r"not in the report: .*half.*can't be read .*", second)


def test_a_report_of_nothing_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(typer.Exit) as stopped:
        report([tmp_path], tmp_path / "none.html")
    assert stopped.value.exit_code == 2
    assert not (tmp_path / "none.html").exists()


def test_two_systems_are_compared_in_a_browser(tmp_path: Path, page: str) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        told: list[str] = []
        tab.on("console", lambda message: told.append(message.text))
        tab.goto((tmp_path / "page.html").as_uri())
        tab.get_by_label("Compare").select_option("nothing")
        tab.get_by_label("with", exact=True).select_option("top_2")
        first = tab.locator("details.citance").first
        first.locator("summary").press("Enter")
        shown = first.locator(".system:visible h4").all_inner_texts()
        assert [name.split()[0] for name in shown] == ["top_2", "nothing"]
        assert "those on which nothing is better come first: 0 of 5" in tab.content()
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        assert tab.evaluate("Array.from(document.images).every((one) => one.naturalWidth > 0)")
        open_to_scripts = browser.new_page(bypass_csp=True)
        open_to_scripts.goto((tmp_path / "page.html").as_uri())
        assert Axe().run(open_to_scripts).response["violations"] == []
        browser.close()
    assert told == []
