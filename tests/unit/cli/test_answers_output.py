"""What the commands of `citespan answers` and the report of a load print."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from made_abstracts import made_pubmedqa
from places import ROOT
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner

from citespan.cli.answers_evaluation import _make_corpus_table as make_answer_table
from citespan.cli.answers_evaluation import _make_published_table as make_experiment_table
from citespan.cli.answers_evaluation import _make_zone_tables as make_zone_tables
from citespan.cli.app import app
from citespan.cli.index import print_report
from citespan.pipelines.answers.candidates import MOST_TERMS, count_cut_words, select_search_words
from citespan.pipelines.answers.zones.configuration import ALAMRI2015
from citespan.pipelines.corpus.section_categories import ZONES
from citespan.pipelines.counts import format_count
from citespan.pipelines.indexing.report import LoadReport
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.training.answer_experiment import read_shipped_experiment
from citespan.pipelines.training.answer_tables import AnswerTable, Row
from citespan.pipelines.training.answers import AnswerScores

EXPERIMENT = ROOT / "experiments" / "bionlp2015.yml"


def run(*arguments: str, **settings: Any) -> Any:
    return CliRunner().invoke(app, ["answers", *arguments], **settings)


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "qa.json").write_text(json.dumps(made_pubmedqa(20)))
    return str(tmp_path / "qa.json")


def test_counts_in_the_singular_and_plural() -> None:
    assert format_count(1, "article") == "1 article"
    assert format_count(0, "abstract") == "0 abstracts"
    assert format_count(3000, "leaf", "leaves") == "3,000 leaves"


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        ([(1, 0)], "1 abstract in 0.0 s: 1 sentence"),
        ([(1, 0)] * 3, "3 abstracts in 0.0 s: 3 sentences"),
        ([(1, 1)], "1 article in 0.0 s: 1 sentence, 1 span, 0 citations"),
        (
            [(2, 3), (2, 3), (4, 0)],
            "2 articles and 1 abstract in 0.0 s: 8 sentences, 6 spans, 0 citations",
        ),
        ([], "0 articles in 0.0 s: 0 sentences, 0 spans, 0 citations"),
    ],
)
def test_abstracts_are_counted_as_abstracts(
    capfd: pytest.CaptureFixture[str], counted: list[tuple[int, int]], said: str
) -> None:
    report = LoadReport()
    for sentences, spans in counted:
        group = LoadReport()
        group.count("indexed", sentences, spans)
        report.add(group)
    report.count("unchanged", 9, 0)
    print_report(report, json=False)
    assert said in capfd.readouterr().out


def test_the_answer_is_marked_within_its_context_in_a_pipe(file: str) -> None:
    done = run(
        *("find", "Is zelatine of use in gout?", file, "--top", "1", "--detector", "alamri2015")
    )
    text = " ".join(done.stdout.split())
    assert "⟦These findings suggest that zelatine helps patients with gout.⟧ Larger" in text
    assert text.count("⟦") == 1


def test_years_that_exclude_every_answer_are_named(file: str) -> None:
    done = run("find", "zelatine", file, "--year", "1990-1999")
    assert "no answer: --year 1990-1999 excludes every abstract with a word" in done.stderr
    other = run("find", "turnips", file, "--year", "1990-1999", "--json")
    assert other.stderr == "no answer: no abstract has any word of the question\n"
    assert json.loads(other.stdout)["results"] == []


def test_abstracts_without_a_claim_zone_are_no_answer(tmp_path: Path) -> None:
    text = "Gout in mice\n\nBACKGROUND: Gout hurts."
    (tmp_path / "a.txt").write_text(text)
    done = run("find", "gout", str(tmp_path / "a.txt"), "--format", "text")
    assert done.exit_code == 0
    assert "no answer: 1 abstract has words of the question, but no sentence of" in done.stderr


def test_a_question_of_thousands_of_words_is_cut_with_a_warning(file: str) -> None:
    question = "zelatine gout " + " ".join(f"word{number}" for number in range(3000))
    kept = select_search_words(question).split()
    assert kept == ["zelatine", "gout", *(f"word{n}" for n in range(MOST_TERMS - 2))]
    assert count_cut_words(question) == 3002 - MOST_TERMS
    assert count_cut_words("Is zelatine of use in gout?") == 0
    done = run("find", "-", file, "--json", input=question)
    assert json.loads(done.stdout)["results"][0]["pmid"] in ("1", "36")
    assert "its last 2,502 words, not counting stop words, are not searched for" in done.stderr


def test_an_experiment_without_abstracts_says_what_to_give_it() -> None:
    done = run("evaluate", "run", str(EXPERIMENT))
    assert done.exit_code == 1
    message = str(done.exception)
    assert message.startswith(f"{EXPERIMENT}: no abstracts to run on")
    assert "PubMedQA's ori_pqal.json from https://github.com/pubmedqa/pubmedqa" in message
    assert "\n" not in message


def show(table: Table) -> list[str]:
    written = StringIO()
    Console(file=written, width=80).print(table)
    return written.getvalue().splitlines()


def check_first_column(table: Table, names: list[str]) -> None:
    lines = show(table)
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)
    cells = [line.split("│")[1].strip() for line in lines if line.startswith("│")]
    assert " ".join(cells).split() == " ".join(names).split()


def zone_row(name: str, without: str | None) -> dict[str, Any]:
    score = {"precision": 0.9, "recall": 0.9, "f1": 0.9, "sentences": 12345}
    scores = {
        "zones": dict.fromkeys(ZONES, score),
        "overall": score,
        "sentence_accuracy": 0.9,
        "abstract_accuracy": 0.9,
    }
    row = {"configuration": name, "without": without, "scores": scores}
    return row | {"joined": scores, "glued": 12345}


def test_zone_tables_keep_their_first_column_at_80_columns() -> None:
    names = ["alamri2015 + tense by tags", "hirohata2008"]
    *of_zones, summary = make_zone_tables([zone_row(name, None) for name in names])
    for table in of_zones:
        check_first_column(table, [*ZONES, "Overall"])
    check_first_column(summary, names)
    withouts = [None, *ALAMRI2015.features]
    rows = [zone_row("alamri2015", without) for without in withouts]
    of_zone, ablation = make_zone_tables(rows)
    assert "0.89" in "".join(show(of_zone)), "the published F1 of table 1"
    check_first_column(ablation, ["nothing", *ALAMRI2015.features])


def test_answer_tables_keep_their_first_column_at_80_columns() -> None:
    scores = AnswerScores(1234, 1000, 1234, 10000)
    names = ["question", "Conclusions"]
    table = make_answer_table("corpus-2 rebuilt: 259 abstracts", dict.fromkeys(names, scores))
    check_first_column(table, names)
    figures = PrecisionRecallF1(0.1, 0.2, 0.3)
    names = ["feature set 1", "all of the Conclusions"]
    rows = [Row(name, figures, figures, "483 questions made of titles") for name in names]
    check_first_column(make_experiment_table(AnswerTable(3, "Answers", tuple(rows))), names)


def test_rows_name_their_data_if_there_are_several() -> None:
    figures = PrecisionRecallF1(0.1, 0.2, 0.3)
    rows = [Row("Answer", figures, None, data) for data in ("some titles", "corpus-3")]
    lines = show(make_experiment_table(AnswerTable(4, "Both", tuple(rows))))
    assert "Ours: (1) some titles; (2) corpus-3" in "".join(lines)
    assert [line.split("│")[1].strip() for line in lines if line.startswith("│")] == [
        *("Answer (1)", "Answer (2)")
    ]


def test_the_shipped_experiment_is_read_from_the_package() -> None:
    assert read_shipped_experiment().name == "bionlp2015"


@pytest.mark.parametrize("arguments", [["--help"], ["find", "--help"], ["train", "--help"]])
def test_help_imports_no_library_that_it_does_not_use(arguments: list[str]) -> None:
    code = (
        "import sys; from citespan.cli.app import app; "
        f"app(['answers', *{arguments!r}], standalone_mode=False); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.split(".")[0] for name in done.stderr.split()}
    assert not imported & {"sklearn", "scipy", "spacy", "pycrfsuite", "sklearn_crfsuite", "bm25s"}


def test_finding_imports_no_library_for_training(file: str) -> None:
    code = (
        "import sys; from citespan.cli.app import app; "
        f"app(['answers', 'find', 'zelatine', {file!r}, '--json'], standalone_mode=False); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = {name.split(".")[0] for name in done.stderr.split()}
    assert not imported & {"sklearn", "sklearn_crfsuite"}
