"""Shipped pipelines: multiplied by NumPy as by thinc, and loaded anew before words fill memory."""

import os
import subprocess
import sys

import numpy as np
import pytest
import spacy

from citespan.pipelines.text import spacy_pipelines
from citespan.pipelines.text.spacy_pipelines import (
    SHIPPED_FOLDER,
    SMALL,
    load_pipeline,
    multiply_by_numpy,
)

TEXT = "Mice that lacked the receptor were fed corn, and their weight fell by 9.5% (p < 0.01)."


def test_numpys_products_are_thincs() -> None:
    ours, theirs = multiply_by_numpy(spacy.load(SHIPPED_FOLDER)), spacy.load(SHIPPED_FOLDER)
    own, other = ours(TEXT), theirs(TEXT)
    assert np.abs(other.tensor).max() > 0.1
    np.testing.assert_allclose(own.tensor, other.tensor, atol=1e-4)
    assert own.to_json() == other.to_json()
    layer, plain = (nlp.get_pipe("tok2vec").model.ops for nlp in (ours, theirs))
    x, y = np.arange(6, dtype="f").reshape(2, 3), np.arange(12, dtype="f").reshape(4, 3)
    for pair, how in (((x, y), {"trans2": True}), ((x.T.copy(), y.T.copy()), {"trans1": True})):
        np.testing.assert_allclose(layer.gemm(*pair, **how), plain.gemm(*pair, **how))
    out = np.zeros((2, 4), dtype="f")
    assert layer.gemm(x, y, out=out, trans2=True) is out
    np.testing.assert_allclose(out, x @ y.T)


@pytest.mark.parametrize(
    ("core", "fast"), [("Prescott", False), ("Haswell", True), ("SkylakeX", True)]
)
def test_numpy_is_used_where_it_knows_the_processor(core: str, fast: bool) -> None:
    told = (
        "import threadpoolctl; from citespan.pipelines.text.spacy_pipelines import numpy_is_fast;"
        "import numpy; found = threadpoolctl.threadpool_info();"
        "print(numpy_is_fast(), *(one.get('architecture') for one in found))"
    )
    done = subprocess.run(
        [sys.executable, "-c", told],
        env=os.environ | {"OPENBLAS_CORETYPE": core},
        capture_output=True,
        text=True,
        check=True,
    )
    said, *cores = done.stdout.split()
    if core not in cores:
        pytest.skip("NumPy's library here is not OpenBLAS, or has no such processor")
    assert said == str(fast)


def test_a_pipeline_is_loaded_anew_when_it_has_met_many_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = load_pipeline(SMALL)
    assert load_pipeline(SMALL) is first
    monkeypatch.setattr(spacy_pipelines, "_MOST_WORDS", len(first.vocab.strings))
    first(" ".join(f"word{number}" for number in range(len(first.vocab.strings) + 1)))
    second = load_pipeline(SMALL)
    assert second is not first
    assert len(second.vocab.strings) < len(first.vocab.strings)
    assert load_pipeline(SMALL) is second
