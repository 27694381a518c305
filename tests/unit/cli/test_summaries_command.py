"""`citespan evaluate summaries`."""

import json
from pathlib import Path

import pytest
from made_collections import write_topics
from typer.testing import CliRunner

from citespan.cli.evaluate import app
from citespan.pipelines.training.summaries import OURS, PEERS


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_topics(tmp_path_factory.mktemp("topics"))


def test_summaries_stand_beside_their_peers(topics: Path) -> None:
    extra = topics / "T0" / "summary" / "T0.combined.txt"
    extra.write_text("all of them")
    arguments = ["summaries", "--collection", f"scisumm:{topics}", "--words", "25"]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["topics"] == {"human": 6, "community": 6, "abstract": 6}
    assert [Path(file["path"]).name for file in found["unused"]] == [extra.name]
    systems = found["systems"]
    assert {OURS, *PEERS} < set(systems)
    for own in systems.values():
        assert 0 < own["words"] <= 25
        for scores in own["summaries"].values():
            for score in scores.values():
                low, high = score["interval"]
                assert 0 <= low <= score["f1"] <= high <= 1
    ours = systems[OURS]["summaries"]["community"]["rouge_2"]
    alone = systems["citances alone"]["summaries"]["community"]["rouge_2"]
    assert ours["f1"] > alone["f1"]
    assert ours["p_randomisation_corrected"] is None
    assert 0 < alone["p_randomisation_corrected"] <= 1
    # The first 25 words are the abstract's.
    assert systems["lead"]["summaries"]["abstract"]["rouge_1"]["f1"] > 0.9


@pytest.mark.parametrize(
    ("collection", "message"),
    [
        ("tac2014:{topics}", "give scisumm:FOLDER, the collection that has summaries"),
        ("{topics}", "give scisumm:FOLDER, the collection that has summaries"),
    ],
)
def test_another_collection_is_one_clear_line(topics: Path, collection: str, message: str) -> None:
    arguments = ["summaries", "--collection", collection.format(topics=topics)]
    result = CliRunner().invoke(app, arguments)
    assert message in str(result.exception)
