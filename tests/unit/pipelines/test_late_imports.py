"""What commands don't use of a library is not imported, and all of it works where it is used."""

import os
import subprocess
import sys

import pytest


def run(code: str) -> list[str]:
    """Run code with late imports, and return the words that it prints."""
    start = "from citespan.pipelines.late_imports import delay_imports; delay_imports()"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {start}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_a_client_imports_the_parts_of_the_interface_that_are_used() -> None:
    imported = run(
        "from elasticsearch import Elasticsearch, TransportError\n"
        "client = Elasticsearch('http://127.0.0.1:9', max_retries=0)\n"
        "try: client.options(request_timeout=1).cat.count()\n"
        "except TransportError: print(*vars(sys.modules['elasticsearch._sync.client.cat']))\n"
        "print(*(name for name in sys.modules if 'CatClient' in vars(sys.modules[name])))\n"
        "print('MlClient' in vars(sys.modules['elasticsearch._sync.client.ml']))"
    )
    assert "CatClient" in imported
    assert "elasticsearch._sync.client.cat" in imported
    assert imported[-1] == "False"


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (
            "from elasticsearch.dsl import AsyncSearch\n"
            "print(*AsyncSearch().query('match_all').to_dict()['query'])",
            ["match_all"],
        ),
        (
            "from rich.console import Console; from rich.markdown import Markdown\n"
            "Console().print(Markdown('some *text*'))",
            ["some", "text"],
        ),
        (
            "import numpy as np; print('numpy.ma.core' in sys.modules)\n"
            "print(np.ma.masked_array([1, 2], [0, 1]).sum(), np.fft.fft([1, 2])[0].real)\n"
            "print(0 <= np.random.default_rng(1).random() < 1, np.random.mtrand.__name__)",
            ["False", "1", "3.0", "True", "numpy.random.mtrand"],
        ),
        (
            "import numpy.polynomial.polynomial as poly; from numpy.random import RandomState\n"
            "import numpy.ctypeslib, numpy as np\n"
            "print(poly.polyval(2, [1, 2]), RandomState.__name__)\n"
            "print(np.polynomial.Polynomial([1])(2))",
            ["5.0", "RandomState", "1.0"],
        ),
        (
            "import numpy as np; from numpy.typing import NDArray; NDArray[np.float64]\n"
            "print('numpy.linalg._umath_linalg' in sys.modules, 'numpy._typing' in sys.modules)\n"
            "print(np.roots([1, -3, 2])[0], (np.matrix([[2]]) ** 3)[0, 0])\n"
            "from numpy.linalg import inv; import numpy.linalg as module\n"
            "print(inv([[2.0]])[0, 0], np.linalg.norm([3, 4]), module.norm is np.linalg.norm)\n"
            "try: inv([[0.0]])\n"
            "except np.linalg.LinAlgError as error: print(error)",
            ["False", "False", "2.0", "8", "0.5", "5.0", "True", "Singular", "matrix"],
        ),
        (
            "import numpy, scipy.stats, sklearn.linear_model, matplotlib.pyplot, lightgbm\n"
            "print(scipy.stats.norm(0, 1).rvs(2, random_state=1).shape)",
            ["(2,)"],
        ),
    ],
)
def test_what_is_late_works(code: str, printed: list[str]) -> None:
    assert run(code) == printed


@pytest.mark.parametrize(
    "code",
    [
        "from citespan.cli.app import app; app(['serve', '--help'], standalone_mode=False)",
        "from citespan.cli.check import check; from citespan.serve.report import make_html",
    ],
)
def test_what_serves_pages_is_imported_to_serve_them_alone(code: str) -> None:
    imported = run(code + "; print('modules:', *sys.modules)")
    modules = set(imported[imported.index("modules:") :])
    assert not modules & {"fastapi", "starlette", "uvicorn", "citespan.serve.app"}


def test_help_shows_no_markdown_and_reaches_no_server() -> None:
    imported = run(
        "from citespan.cli.app import app\n"
        "app(['search', '--help'], standalone_mode=False)\n"
        "print('modules:', *sys.modules)"
    )
    modules = set(imported[imported.index("modules:") :])
    assert not modules & {"markdown_it", "httpx", "aiohttp", "requests", "tenacity", "numpy"}
    assert not modules & {"elasticsearch._async.client.indices", "anyio", "spacy", "marisa_trie"}


def test_articles_are_read_and_built_without_numpy() -> None:
    imported = run(
        "from citespan.pipelines.indexing.documents.builder import DocumentBuilder\n"
        "from citespan.pipelines.indexing.documents.settings import DocumentSettings\n"
        "from citespan.pipelines.indexing.reading import process\n"
        "from citespan.pipelines.indexing.reading.sources import Sources\n"
        "from citespan.pipelines.indexing.reading.unit_reading import read_articles\n"
        "units = Sources(['tests/data/readers/jats'], 'auto')\n"
        "readings = [(0, article) for article in read_articles(units)]\n"
        "builder = DocumentBuilder(DocumentSettings((), 'sentences'))\n"
        "built = list(builder.build_all(readings, lambda ids: {}))\n"
        "print(sum(article.citations for _, article in built) > 0, 'numpy' in sys.modules)"
    )
    assert imported == ["True", "False"]


def test_matrices_are_multiplied_in_one_thread() -> None:
    code = (
        "import sys; from citespan.cli.main import main; sys.argv = ['citespan', '--version']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "import numpy, threadpoolctl\n"
        "print(*(pool['num_threads'] for pool in threadpoolctl.threadpool_info()))"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.splitlines()[-1] == "1"


def test_words_are_stemmed_without_what_else_nltk_imports() -> None:
    imported = run(
        "from citespan.pipelines.ranking.differences.statement import find_key\n"
        "print(find_key('increasing'), *(name for name in sys.modules if name[:5] == 'nltk.'))\n"
        "print(*({'pandas', 'sklearn', 'scipy'} & sys.modules.keys()))\n"
        "import nltk; print(nltk.stem.porter.PorterStemmer().stem('increasing'))"
    )
    assert imported == ["increas", "increas"]
