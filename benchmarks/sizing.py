"""What 5 and 40 million articles need: the table of deploy/sizing.md.

    python -m benchmarks.sizing

The table is written into the page and printed. It follows from `deploy/growth.json`, so run this
when that was measured again by `benchmarks/growth.py`.
"""

from benchmarks.page import write_table
from citespan.deploy.plan import make_plan

_ARTICLES = (5_000_000, 40_000_000)


def make_table() -> str:
    """Return the table in Markdown, with what it was measured by."""
    plans = [make_plan(articles) for articles in _ARTICLES]
    names = (f"{plan.articles // 10**6} million | 95 % interval" for plan in plans)
    lines = [f"| articles | {' | '.join(names)} |", f"| --- |{' ---: |' * 2 * len(plans)}"]
    for costs in zip(*(plan.costs for plan in plans), strict=True):
        cells = (cell for cost in costs for cell in cost.show())
        lines.append(f"| {' | '.join((costs[0].name, *cells))} |")
    return "\n".join([*lines, "", plans[0].describe_measured()])


def main() -> None:
    """Write the table and print it."""
    table = make_table()
    write_table("benchmarks.sizing", table)
    print(table)


if __name__ == "__main__":
    main()
