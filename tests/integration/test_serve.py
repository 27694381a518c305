"""The JSON API and the pages of the real `citespan serve` on a real node."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import loading
import made_citing
import pytest
from elasticsearch import Elasticsearch
from fault_proxy import Fault, proxy
from lxml import html as lxml_html
from places import ROOT
from served import HOSTILE, serving

import citespan as front_door
from citespan.pipelines.evaluation.shipped import sample

Citespan = Callable[..., subprocess.CompletedProcess[str]]
CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle through wibble p21 [12]"
ARTICLE = {"article": "p53-dna-damage", "citance": CITANCE}
SIGNALS = sample("jats").parent / "manuscript" / "signals.md"


@pytest.fixture(scope="module")
def site(node: str) -> Iterator[httpx.Client]:
    """A client of the pages of a node with the sample and a hostile article."""
    with front_door.connect(node) as es:
        front_door.index(sample("jats"), layout="sentences", client=es, processes=0)
        loading.load(es, [HOSTILE])
    with serving() as url, httpx.Client(base_url=url, timeout=60) as client:
        yield client


def read_json(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def read_page(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return lxml_html.document_fromstring(answer.text)


def test_the_api_answers_as_the_command_line_does(site: httpx.Client, citespan: Citespan) -> None:
    printed = citespan("search", CITANCE, "--article", "p53-dna-damage", "--json").stdout
    assert read_json(site.get("/api/search", params=ARTICLE)) == json.loads(printed)
    printed = citespan("search", CITANCE, "--json").stdout
    assert read_json(site.get("/api/search-all", params={"citance": CITANCE})) == json.loads(
        printed
    )
    question = "Does p53 stop the cell cycle?"
    printed = citespan("answers", "find", question, "--json").stdout
    assert read_json(site.get("/api/answers", params={"question": question})) == json.loads(printed)
    shown = json.loads(citespan("show", "p53-dna-damage", "--sentences", "3-6", "--json").stdout)
    read = read_json(
        site.get("/api/article", params={"article": "p53-dna-damage", "first": 3, "last": 6})
    )
    assert read == shown
    listed = read_json(site.get("/api/articles", params={"q": "DNA damage"}))
    assert [article["article"] for article in listed["articles"]] == ["p53-dna-damage"]
    assert listed["count"] == 1
    for command, parameters in ((), {}), (("DNA damage",), {"q": "DNA damage"}):
        printed = json.loads(citespan("articles", *command, "--json").stdout)
        for article in printed["articles"]:
            assert article.pop("source"), "names files of the server's machine"
        assert read_json(site.get("/api/articles", params=parameters)) == printed


def test_downloads_are_what_the_command_line_prints(site: httpx.Client, citespan: Citespan) -> None:
    def download(view: str, **asked: str) -> dict[str, str]:
        page = read_page(site.get(view, params=asked))
        addresses = page.xpath("//div[@id='found']//a[@download]/@href")
        got = {address.partition("?")[0]: site.get(address) for address in addresses}
        for address, answer in got.items():
            assert answer.status_code == 200, answer.text
            named = answer.headers["content-disposition"]
            assert named.startswith("attachment") and named.endswith(address[-3:])
        return {address.rpartition(".")[2]: answer.text for address, answer in got.items()}

    options_of_article = ("--article", "p53-dna-damage", "--top", "5")
    for view, asked, options in (
        ("/article", ARTICLE | {"top": "5"}, options_of_article),
        ("/evidence", {"citance": CITANCE}, ()),
    ):
        got = download(view, **asked)
        for kind, form in (("csv", "csv"), ("md", "markdown")):
            printed = citespan("search", CITANCE, *options, "--format", form).stdout
            assert got[kind].rstrip() == printed.rstrip()
        printed = citespan("search", CITANCE, *options, "--json").stdout
        assert json.loads(got["json"]) == json.loads(printed)
    question = "Does p53 reduce cell growth?"
    got = download("/answers", question=question, top="3")
    asked_for = ("answers", "find", question, "--top", "3")
    assert got["csv"] == citespan(*asked_for, "--csv").stdout
    printed = json.loads(citespan(*asked_for, "--json").stdout)
    assert json.loads(got["json"]) == printed
    assert got["md"].startswith("## Does p53 reduce cell growth?\n\n*3 answers; ")
    assert len(re.findall(r"^[123]\. ", got["md"], re.MULTILINE)) == len(printed["results"]) == 3
    compared = site.get("/article", params=ARTICLE | {"other_ranker": "none"})
    addresses = read_page(compared).xpath("//section[@class='method b']//a[@download]/@href")
    assert "ranker" not in read_json(site.get(addresses[-1]))
    assert not download("/evidence", citance="xyzzy")
    assert site.get("/evidence/found.xml", params={"citance": CITANCE}).status_code == 422


def test_the_list_has_an_order_which_its_pages_keep(site: httpx.Client) -> None:
    years = [
        article["year"] for article in read_json(site.get("/api/articles?order=year"))["articles"]
    ]
    known = [year for year in years if year is not None]
    assert len(known) > 1 and years == [*sorted(known, reverse=True), *years[len(known) :]]
    loaded = read_json(site.get("/api/articles?order=loaded"))["articles"]
    assert loaded[0]["article"] == HOSTILE.id
    page = read_page(site.get("/?order=loaded&top=1"))
    assert page.xpath("//select[@id='order']/option[@selected]/@value") == ["loaded"]
    [following] = page.xpath("//a[@rel='next']/@href")
    assert "order=loaded" in following
    assert read_page(site.get(following)).xpath("//a[@class='title']")
    ordered = read_page(site.get("/?order=title&top=2"))
    [following] = ordered.xpath("//a[@rel='next']/@href")
    both = [
        *ordered.xpath("//a[@class='title']"),
        *read_page(site.get(following)).xpath("//a[@class='title']"),
    ]
    titles = [title.text_content() for title in both]
    assert len(titles) > 2 and titles == sorted(titles, key=str.lower)
    assert site.get("/?order=length").status_code == 422


def test_passages_are_marked_in_the_text(site: httpx.Client) -> None:
    found = read_json(site.get("/api/search", params=ARTICLE))
    page = read_page(site.get("/article", params=ARTICLE))
    for result in found["results"]:
        name = f"a{result['rank']}"
        marks = page.xpath(f"//mark[contains(concat(' ', @data-passages, ' '), ' {name} ')]")
        assert " ".join(mark.text_content() for mark in marks) == result["text"]
        matched = [word.text_content() for mark in marks for word in mark.iter("b")]
        assert matched == [result["text"][start:end] for start, end in result["matches"]]
        assert marks[0].get("data-start") == str(result["start"])
        [item] = page.xpath(f"//li[@id='item-{name}']")
        assert item.xpath(".//a/@href")[0] == f"#{marks[0].get('id')}"
        [quote] = item.xpath(".//button/@data-quote")
        assert result["text"] in quote
        assert f"characters {result['start']}–{result['end']}" in quote
    assert page.xpath("//p[@class='missing']//bdi/text()") == found["missing"] == ["wibble"]
    assert "Found" in page.xpath("//p[contains(@class, 'verdict')]")[0].text_content()


def test_the_text_is_that_of_the_article(site: httpx.Client) -> None:
    page = read_page(site.get("/article", params={"article": "p53-dna-damage"}))
    shown = page.xpath("//*[@data-start]")
    read = read_json(site.get("/api/article", params={"article": "p53-dna-damage"}))["sentences"]
    assert [element.text_content() for element in shown] == [sentence["text"] for sentence in read]
    assert [int(element.get("data-start")) for element in shown] == [
        sentence["start"] for sentence in read
    ]
    assert [heading.text for heading in page.xpath("//article//h2")][:2] == [
        "Abstract",
        "Introduction",
    ]
    assert page.xpath("//figure//strong/text()") == ["Figure 1", "Table 1"]


def test_two_methods_are_side_by_side(site: httpx.Client) -> None:
    page = read_page(site.get("/article", params=ARTICLE | {"other_ranker": "none"}))
    paper = read_json(site.get("/api/search", params=ARTICLE | {"ranker": "none"}))
    [other] = page.xpath("//section[contains(@class, 'method b')]")
    quotes = [quote.text_content() for quote in other.iter("blockquote")]
    assert quotes == [result["text"] for result in paper["results"]]
    assert page.xpath("//mark[contains(@class, 'a') and contains(@class, 'b')]")


def test_a_reformulation_and_a_model_are_chosen(site: httpx.Client) -> None:
    chosen = {"reformulation": "np", "model": "bm25", "ranker": "none", "top": "2"}
    found = read_json(site.get("/api/search", params=ARTICLE | chosen))
    assert (found["reformulation"], found["model"], len(found["results"])) == ("np", "bm25", 2)
    page = read_page(site.get("/article", params=ARTICLE | chosen))
    assert page.xpath("//select[@name='model']/option[@selected]/@value") == ["bm25"]
    assert page.xpath("//input[@type='range']/@value") == ["2"]
    names = page.xpath("//select[@name='reformulation']/option/@value")
    assert not {"umls-reduce", "umls-expand"} & set(names)  # there is no vocabulary
    page = read_page(site.get("/evidence"))
    assert "prf" in names
    assert "prf" not in page.xpath("//select[@name='reformulation']/option/@value")


def test_nothing_of_an_article_is_mark_up(site: httpx.Client) -> None:
    asked = {"article": HOSTILE.id, "citance": "<b>p53</b> repairs DNA damage in cells"}
    for page in (
        read_page(site.get("/article", params=asked)),
        read_page(site.get("/")),
        read_page(site.get("/evidence", params={"citance": asked["citance"]})),
    ):
        assert page.xpath("//script/@src") == ["/assets/page.js"]
        assert not page.xpath(
            "//script[not(@src)] | //img | //style | //*[@onerror or @onmouseover]"
        )
    page = read_page(site.get("/article", params=asked))
    text = "".join(element.text_content() for element in page.xpath("//article[@id='text']"))
    assert "<script>document.title='run'</script> binds p53 &amp;" in text
    assert "</mark></span><img" in text
    assert page.xpath("//p[contains(., 'מחזור')]/@dir") == ["auto"]


def test_addresses_in_pages_lead_to_pages(site: httpx.Client) -> None:
    found = read_page(site.get("/evidence", params={"citance": "p53 repairs DNA damage in cells"}))
    links = found.xpath("//a[@class='title']/@href") + read_page(site.get("/")).xpath(
        "//a[@class='title']/@href"
    )
    assert len(links) > 4
    for link in links:
        assert site.get(link).status_code == 200


def test_articles_are_listed_page_by_page(site: httpx.Client) -> None:
    total = read_json(site.get("/api/articles"))["count"]
    address, listed = "/?top=2", []
    while True:
        page = read_page(site.get(address))
        listed += page.xpath("//a[@class='title']/@href")
        following = page.xpath("//a[@rel='next']/@href")
        if not following:
            break
        [address] = following
    assert len(listed) == len(set(listed)) == total > 2


@pytest.mark.parametrize(
    "view",
    [
        "/",
        "/?q=",
        "/evidence?year=&journal=",
        "/answers?year=",
        "/evidence",
        "/answers",
        "/check",
        "/api",
    ],
)
def test_every_view_stands_without_parameters(site: httpx.Client, view: str) -> None:
    page = read_page(site.get(view))
    assert page.xpath("//h1")


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/article?article=../../../etc/passwd", 404, "unknown article"),
        ("/article?article=%00", 422, "has characters that can't be in it"),
        ("/article?article=" + "a" * 10_000, 422, "Article has more than 300 characters"),
        ("/article", 422, "Article is missing"),
        ("/article?article=p53-dna-damage&colour=red", 422, "colour is no parameter"),
        ("/article?article=p53-dna-damage&top=1000", 422, "At most has to be 20 or less"),
        ("/article?article=p53-dna-damage&top=0", 422, "At most has to be 1 or more"),
        (
            "/article?article=p53-dna-damage&citance=" + "a+" * 5001,
            422,
            "Citing sentence has more than 10,000 characters",
        ),
        ("/article?article=p53-dna-damage&citance=the+of", 400, "nothing"),
        ("/article?article=p53-dna-damage&citance=p53&ranker=/etc", 400, "unknown ranker '/etc'"),
        ("/article?article=p53-dna-damage&citance=p53&ranker=.", 400, "unknown ranker '.'"),
        ("/article?article=p53-dna-damage&citance=p53&model=best", 400, "unknown"),
        ("/article?article=p53-dna-damage&citance=p53&reformulation=x", 400, "unknown"),
        ("/article?article=p53-dna-damage&citance=p53&reformulation=umls-reduce", 400, "vocabul"),
        ("/evidence?citance=p53&year=soon", 400, "year"),
        ("/evidence?citance=p53&section=kitchen", 400, "unknown"),
        ("/answers?question=the", 400, "nothing but stop words"),
        ("/answers?question=p53&ranker=none", 400, "`ranker=none` has no answers"),
        ("/answers?question=p53&ranker=/tmp", 400, "unknown ranker"),
        ("/answers?question=p53&zone=Twilight", 422, "only from has to be 'Results'"),
        ("/check/..%2f..%2fetc", 404, "there is no such page"),
        ("/check/unknown", 404, "there is no such check"),
        ("/assets/../app.py", 404, "there is no such page"),
        ("/assets/..%2fapp.py", 404, "there is no such page"),
        ("/nowhere", 404, "there is no such page"),
    ],
)
def test_bad_input_is_explained_without_a_path(
    site: httpx.Client, address: str, status: int, said: str
) -> None:
    page = read_page(site.get(address), status)
    message = page.xpath("//*[@class='problem']")[0].text_content()
    assert said.lower() in message.lower()
    assert len(message) < 1000
    for secret in ("Traceback", str(Path.cwd()), "site-packages", "/home", "/tmp/c"):
        assert secret not in message


def test_errors_of_the_api_are_json(site: httpx.Client) -> None:
    for address, status in (("/api/search", 422), ("/api/nowhere", 404), ("/api/check", 405),
                            ("/api/search?article=x&citance=p53", 404)):  # fmt: skip
        error = read_json(site.get(address), status)["error"]
        assert error["status"] == status
        assert error["message"]


def test_the_description_of_the_api_has_every_address(site: httpx.Client) -> None:
    paths = read_json(site.get("/api/openapi.json"))["paths"]
    page = site.get("/api").text
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert len(paths) == 11
    for path, methods in paths.items():
        assert path in page
        assert path in text
        for method in methods.values():
            for parameter in method.get("parameters", []):
                assert f"`{parameter['name']}`" in text


def wait_for(site: httpx.Client, key: str) -> httpx.Response:
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        answer = site.get(f"/api/check/{key}")
        if answer.status_code != 202:
            return answer
        time.sleep(0.1)
    pytest.fail("the check does not end")


def test_a_manuscript_is_checked(site: httpx.Client, citespan: Citespan) -> None:
    files = [
        ("files", (file.name, file.read_bytes())) for file in (SIGNALS, SIGNALS.with_suffix(".bib"))
    ]
    sent = site.post("/check", files=files)
    assert sent.status_code == 303
    key = sent.headers["location"].rsplit("/", 1)[1]
    result = read_json(wait_for(site, key))
    printed = json.loads(citespan("check", str(SIGNALS), "--json").stdout)
    assert result["citations"] == printed["citations"]
    assert result["totals"] == printed["totals"]
    assert result["manuscript"] == "signals.md"
    progress = read_json(site.get(f"/api/check/{key}/progress"))
    assert (progress["state"], progress["done"], progress["total"]) == ("done", 6, 6)
    report = site.get(f"/check/{key}")
    assert "Citations of" in read_page(report).xpath("//h1")[0].text
    assert "citespan-check-" not in report.text
    evidence = read_page(report).xpath("//*[@class='passages']//a/@href")
    downloads = read_page(report).xpath("//nav//a[@download]/@href")
    assert evidence and len(downloads) == 4
    marked = read_page(site.get(evidence[0])).xpath("//article[@id='text']//mark")
    assert marked
    saved = read_page(site.get(downloads[0]))
    assert not saved.xpath("//nav | //form | //a[starts-with(@href, '/')]")


@pytest.mark.parametrize(
    ("files", "status", "said"),
    [
        ([("a.md", b"# A\n"), ("b.md", b"# B\n")], 400, "one manuscript"),
        ([("a.bib", b"")], 400, "one manuscript"),
        ([("a.rar", b"Rar")], 400, "can't be checked"),
        ([("../../a.md", b"# A")], 400, "name of a file"),
        ([("..", b"# A")], 400, "name of a file"),
        ([("a.md", b"#"), ("a.md", b"#")], 400, "same name"),
        ([(f"{n}.md", b"#") for n in range(11)], 400, "too many"),
        ([("large.md", b"a" * 50_000_000)], 413, "more than 20 MB"),
        ([], 422, "files"),
    ],
)
def test_what_is_no_manuscript_is_refused(
    site: httpx.Client, files: list[tuple[str, bytes]], status: int, said: str
) -> None:
    answer = site.post("/api/check", files=[("files", file) for file in files])
    assert said in read_json(answer, status)["error"]["message"]


def test_a_project_is_checked_as_its_files_are(site: httpx.Client, citespan: Citespan) -> None:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for file in (SIGNALS, SIGNALS.with_suffix(".bib")):
            archive.write(file, f"project/{file.name}")
    files = [("files", ("project.zip", packed.getvalue()))]
    sent = read_json(site.post("/api/check", files=files), 202)
    result = read_json(wait_for(site, sent["id"]))
    printed = json.loads(citespan("check", str(SIGNALS), "--json").stdout)
    assert result["citations"] == printed["citations"]
    assert "citespan-serve-" not in site.get(f"/check/{sent['id']}").text


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"<article>"])
def test_a_broken_manuscript_fails_with_its_name_alone(site: httpx.Client, content: bytes) -> None:
    sent = read_json(site.post("/api/check", files=[("files", ("my.xml", content))]), 202)
    error = read_json(wait_for(site, sent["id"]), 400)["error"]
    assert error["message"].startswith("my.xml: ")
    assert "/" not in error["message"].replace("`format`", "")
    page = read_page(site.get(f"/check/{sent['id']}"), 400)
    assert "my.xml" in page.xpath("//*[@class='problem']")[0].text_content()


def test_bibliographies_outside_of_what_was_sent_are_not_read(site: httpx.Client) -> None:
    text = b"---\nbibliography: ../../../../etc/passwd\n---\n# A\n\nIt is so [@root].\n"
    sent = read_json(site.post("/api/check", files=[("files", ("my.md", text))]), 202)
    answer = wait_for(site, sent["id"])
    assert "root:" not in answer.text
    assert "/etc" not in answer.text.replace("../../../../etc/passwd", "")


def test_many_at_once_get_what_each_would_get_alone(site: httpx.Client) -> None:
    asked = [ARTICLE | {"top": str(1 + number % 3)} for number in range(30)]
    alone = {query["top"]: site.get("/api/search", params=query).json() for query in asked[:3]}
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda query: site.get("/api/search", params=query), asked))
    assert {answer.status_code for answer in answers} == {200}
    for query, answer in zip(asked, answers, strict=True):
        assert answer.json() == alone[query["top"]]


def test_an_article_that_vanishes_while_it_is_shown(site: httpx.Client, es: Elasticsearch) -> None:
    front_door.index(sample("tac2014"), layout="spans", client=es, processes=0, format="tac2014")
    [entry] = [
        article for article in front_door.articles(client=es) if article.article.startswith("D1401")
    ][:1]
    asked = {"article": entry.article, "citance": "oxygen hypoxia hydroxylases"}
    assert site.get("/article", params=asked).status_code == 200
    es.indices.delete(index=entry.index)
    error = read_json(site.get("/api/search", params=asked), 404)["error"]
    assert "index it again" in error["message"]
    front_door.delete(entry.article, client=es)
    assert read_page(site.get("/article", params=asked), 404).xpath("//*[@class='problem']")


def test_what_an_article_is_cited_for(
    site: httpx.Client, es: Elasticsearch, citespan: Citespan, tmp_path: Path
) -> None:
    none = read_page(site.get("/article", params={"article": "p53-dna-damage", "cited": "true"}))
    assert (
        "No citation of it is linked"
        in none.xpath("//section[@aria-labelledby='cited']/p")[0].text_content()
    )
    made_citing.load_corpus(es, tmp_path / "citing")
    made_citing.link(es)
    es.indices.refresh(index="citespan-*")
    found = read_json(site.get("/api/cited", params={"article": "sugar"}))
    assert found == json.loads(citespan("cited", "sugar", "--json").stdout)
    counted = {
        sentence["number"]: sentence["citations"]
        for sentence in found["sentences"]
        if sentence["citations"]
    }
    assert counted
    page = read_page(site.get("/article", params={"article": "sugar", "cited": "true"}))
    for number, citations in counted.items():
        [mark] = page.xpath(f"//*[@id='s{number}']/following-sibling::*[1]")
        assert mark.text == f"{citations}×"
        [item] = page.xpath(f"//li[@id='cited-{number}']")
        assert len(item.xpath(".//q")) == citations
        assert {link.get("href") for link in item.xpath(".//ul//a")} <= {
            f"/article?article={name}" for name in ("bread", "stone")
        }
    said = page.xpath("//section[@aria-labelledby='cited']/details//q")
    assert [quote.text for quote in said] == [citance["text"] for citance in found["cited_for"]]
    assert len(said) == 2
    asked = {"citance": "which yeast grows in the dark", "ranker": "none"}
    page = read_page(site.get("/evidence", params=asked))
    [first, *_] = page.xpath("//ol[@class='list results']/li")
    assert "found by how 2 articles cite it" in " ".join(first.text_content().split())
    read = {"citing": "stone", **asked}
    results = read_json(site.get("/api/search-all", params=read))["results"]
    assert {result["article"]: result["cited_by"] for result in results}["sugar"] == 1
    read_json(site.get("/api/search-all", params={**asked, "citance_weight": -1}), 422)


def test_a_server_that_goes_away_and_comes_back(site: httpx.Client, node: str) -> None:
    away = False

    def choose(_: object) -> Fault | None:
        return Fault.UNAVAILABLE if away else None

    with (
        proxy(node, choose=choose) as address,
        serving({**os.environ, "CITESPAN_ES_URL": address}) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        assert client.get("/article", params=ARTICLE).status_code == 200
        away = True
        page = read_page(client.get("/article", params=ARTICLE), 503)
        [problem] = page.xpath("//*[@data-recover]")
        assert "Elasticsearch can't answer at the moment" in problem.text_content()
        assert client.get("/api/health").status_code == 503
        assert client.get("/check").status_code == 200
        away = False
        assert client.get("/api/health").status_code == 200
        assert client.get("/article", params=ARTICLE).status_code == 200


def test_a_token_lets_in(site: httpx.Client, node: str) -> None:
    token = "k7Qm2xWf9Ld4Rt8Zb1Vn"
    with (
        serving({**os.environ, "CITESPAN_SERVE_TOKEN": token}, "--host", "0.0.0.0") as url,
        httpx.Client(base_url=url.replace("0.0.0.0", "127.0.0.1"), timeout=60) as client,
    ):
        assert client.get("/api/health").status_code == 401
        assert (
            client.get("/api/health", headers={"authorization": f"Bearer {token}"}).status_code
            == 200
        )
        wanted = client.get("/article", params=ARTICLE).headers["location"]
        page = read_page(client.get(wanted))
        [to] = page.xpath("//input[@name='to']/@value")
        assert client.post("/login", data={"token": "another", "to": to}).status_code == 401
        entered = client.post("/login", data={"token": token, "to": to})
        assert entered.status_code == 303
        assert "HttpOnly" in entered.headers["set-cookie"]
        assert token not in entered.headers["set-cookie"]
        assert client.get(entered.headers["location"]).status_code == 200
        elsewhere = client.post("/login", data={"token": token, "to": "//evil.example"})
        assert elsewhere.headers["location"] == "/"


def test_it_ends_by_ctrl_c(node: str) -> None:
    command = [sys.executable, "-m", "citespan.cli.main", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("citespan serves")
        httpx.get(line.split()[2]).raise_for_status()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        *_, stopped = process.stderr.read().splitlines()  # after the log of the request
        assert stopped == "citespan: stopped"


def test_others_are_not_let_in_without_a_token(citespan: Citespan) -> None:
    done = citespan("serve", "--host", "0.0.0.0", "--port", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "set CITESPAN_SERVE_TOKEN" in done.stderr
