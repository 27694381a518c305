"""A folder of articles behind the pages: what changes in it is noticed, and not at each request."""

import json
from pathlib import Path

import pytest

from citespan.library import articles
from citespan.pipelines.errors import InputError
from citespan.serve import search_server
from citespan.serve.search_server import FolderServer, connect_to


def write(folder: Path, name: str) -> None:
    line = {"id": name, "text": "Yeast grows on sugar."}
    (folder / f"{name}.jsonl").write_text(json.dumps(line))


def list_ids(server: FolderServer) -> list[str]:
    return [article.article for article in articles(client=server.connect())]


def test_new_files_are_noticed_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "articles"
    folder.mkdir()
    write(folder, "a")
    server = FolderServer(folder)
    write(folder, "b")
    assert list_ids(server) == ["a"]
    monkeypatch.setattr(search_server, "_LOOKS_APART", -1.0)
    assert list_ids(server) == ["a", "b"]

    assert server.kept == tmp_path / "articles.citespan"
    with connect_to(server.kept) as client:  # as a process that checks a manuscript does
        assert [article.article for article in articles(client=client)] == ["a", "b"]


def test_a_folder_that_has_become_empty_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "articles"
    folder.mkdir()
    write(folder, "a")
    server = FolderServer(folder)
    monkeypatch.setattr(search_server, "_LOOKS_APART", -1.0)
    (folder / "a.jsonl").unlink()
    with pytest.raises(InputError, match="no article in it"):
        server.connect()
