"""The table of a facet model's figures."""

from collections.abc import Mapping

from citespan.cli.output import out
from citespan.cli.tables import FigureTable
from citespan.pipelines.training.facets import FacetFigures


def show_figures(figures: Mapping[str, FacetFigures]) -> None:
    """Print how often facets are right, and the F1 of each."""
    facets = list(next(iter(figures.values())).facets)
    table = FigureTable(["system"], ["accuracy", "macro F1", *facets])
    for system, own in figures.items():
        f1 = [f"{own.facets[facet].f1:.3f}" for facet in facets]
        table.add_row(system, f"{own.accuracy:.3f}", f"{own.macro_f1:.3f}", *f1)
    table.print()
    citances = next(iter(figures.values())).citances
    out.print(f"{citances:,} citances; by facet, F1")
