"""YAML of users: what is too large, too deep or repeated without end is one line, at once."""

from pathlib import Path

import pytest

from citespan.pipelines.errors import InputError
from citespan.pipelines.yaml_file import read_yaml

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "mine.yml"
    path.write_text(text, encoding="utf-8")
    return read_yaml(path)


def test_anchors_may_be_used(tmp_path: Path) -> None:
    content = read(tmp_path, "a: &a {b: 1}\nc: [*a, *a]\nd: {<<: *a, e: 2}\n")
    assert content == {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}], "d": {"b": 1, "e": 2}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, r"mine\.yml:5: more than 20,000 values, aliases written out"),
        ("a: &a [*a]\n", r"mine\.yml:1: more than 20,000 values"),
        ("a: " + "[" * 5000, r"mine\.yml:1: .* nested deeper than 50"),
        ("a: " + "{b: " * 5000, r"mine\.yml:1: .* nested deeper than 50"),
        ("- a\n" * 30_000, r"mine\.yml:20000: more than 20,000 values"),
        ("a: " + "b" * 300_000, r"mine\.yml: larger than 200 kB; shorten it"),
        ("a: *none", r"mine\.yml:1: found undefined alias 'none'; correct the YAML"),
        ("a: \x00", r"mine\.yml: unacceptable character .*; correct the YAML"),
        ("a: 1\n---\nb: 2\n", r"mine\.yml:2: .* another document; correct the YAML"),
    ],
)
def test_what_no_file_of_ours_needs_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)
