"""`citespan facets`: the model of discourse facets, trained and measured."""

from citespan.cli.commands import Command, group

app = group(
    "Discourse facets of cited sentences: train and measure their model.",
    {
        "train": Command(
            "citespan.cli.facets.train:train",
            "Train the facet model; the same collections give the same file, byte for byte.",
        ),
        "cross-validate": Command(
            "citespan.cli.facets.cross_validate:cross_validate",
            "Measure facet models that are trained on the other topics of a collection.",
        ),
    },
    epilog="Example: citespan facets train scisumm:data/train --out my-facets",
)
