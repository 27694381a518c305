"""The paired randomisation test.

R. A. Fisher, The Design of Experiments, 1935; for retrieval: M. D. Smucker, J. Allan and
B. Carterette, "A comparison of statistical significance tests for information retrieval
evaluation", CIKM 2007. If two systems are alike, either could have had either value of each
citance: so the values are exchanged at random, and the p-value is how often the means then lie
at least as far apart as they did.
"""

import numpy as np

from citespan.pipelines.evaluation.measure import FloatArray

PERMUTATIONS = 10_000
_BLOCK = 1_000
_ROUNDING = 1e-12
"""Values lie between 0 and 1; per citance, sums may be this far from what they are."""


def randomisation_test(
    differences: FloatArray, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> FloatArray:
    """Two-sided p-values of paired differences, all columns under the same exchanges.

    With so few citances that all exchanges are fewer than `permutations`, each is tried once
    and the p-values are exact; else they are estimated from exchanges drawn at random, the one
    that was observed among them, so that no p-value is zero.

    Args:
        differences: value less the baseline's, of shape (citances, k).

    Returns:
        Of shape (k,), each over 0 and at most 1.

    Raises:
        ValueError: if there is no citance.
    """
    citances = len(differences)
    if not citances:
        raise ValueError("there is no citance to exchange")
    least = np.abs(differences.sum(axis=0)) - _ROUNDING * citances
    exact = citances < 60 and 2**citances <= permutations
    tried = 2**citances if exact else permutations
    generator = np.random.default_rng(seed)
    as_far = np.zeros(differences.shape[1])
    for first in range(0, tried, _BLOCK):
        size = min(_BLOCK, tried - first)
        if exact:
            codes = np.arange(first, first + size)[:, np.newaxis]
            exchanged = codes >> np.arange(citances) & 1
        else:
            exchanged = generator.integers(0, 2, size=(size, citances), dtype=np.int8)
        signs = 1.0 - 2.0 * exchanged
        as_far += (np.abs(signs @ differences) >= least).sum(axis=0)
    return as_far / tried if exact else (as_far + 1) / (tried + 1)
