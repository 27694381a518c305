"""`citespan plan`, in a process of its own."""

import json

import pytest
from real_node import run_citespan


def test_a_plan_fits_a_narrow_terminal_and_says_what_was_measured() -> None:
    done = run_citespan("plan", "--articles", "5000000")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    text = " ".join(lines)
    for words in ("5,000,000 articles", "disk of the cluster", "nodes", "load on 12 cores", "GB",
                  "search in all, p50", "link on 1 core", "95 % interval", "extrapolations",
                  "cores and"):  # fmt: skip
        assert words in text


def test_json_has_each_figure_with_its_interval() -> None:
    done = run_citespan("plan", "--articles", "40000000", "--copies", "1", "--json")
    plan = json.loads(done.stdout)
    assert (plan["articles"], plan["copies"], plan["extrapolated"]) == (40_000_000, 1, True)
    assert plan["fewest"] < plan["most"] < plan["articles"]
    assert plan["machine"]["processors"] >= 1
    assert {cost["unit"] for cost in plan["costs"]} == {"bytes", "hours", "ms", ""}
    for cost in plan["costs"]:
        assert cost["low"] <= cost["figure"] <= cost["high"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--articles", "0"), "'--articles': 0 is not in the range"),
        (("--articles", "many"), "'--articles': 'many' is not a valid int"),
        (("--articles", "5", "--copies", "3"), "'--copies': 3 is not in the range"),
        ((), "Missing option '--articles'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments: tuple[str, ...], message: str) -> None:
    done = run_citespan("plan", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
