"""Discourse facets of cited sentences: train and measure their model.

Example: citespan facets train scisumm:data/train --out my-facets
"""

from citespan.cli.commands import lazy_group

app = lazy_group(
    __doc__,
    {
        "train": "citespan.cli.facets.train:train",
        "cross-validate": "citespan.cli.facets.cross_validate:cross_validate",
    },
)
