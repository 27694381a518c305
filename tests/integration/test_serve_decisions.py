"""The three doors, and deciding about citations, in a real browser, by several people, and after
the server was started again."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from real_node import run_citespan
from served import served, serving

import citespan as front_door
from citespan.pipelines.citations.decisions import decide, make_subject
from citespan.pipelines.corpus.files import source_of
from citespan.pipelines.evaluation.shipped import sample

CHROMIUM = Path("/usr/bin/chromium")
SIGNALS = sample("jats").parent / "manuscript" / "signals.md"
FILES = (SIGNALS, SIGNALS.with_suffix(".bib"))
ADA, BO, CY = "k7Qm2xWf9Ld4Rt8Zb1Vn", "p3Hs8vKc6Yg1Nw5Xe9Tj", "z5Ba7qJu2Mf8Lr4Dk6Wp"
needs_browser = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")


@pytest.fixture(scope="module")
def sampled(node: str) -> str:
    """The address of a node with the sample."""
    with front_door.connect(node) as es:
        front_door.index(sample("jats"), layout="sentences", client=es, processes=0)
    return node


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A file of three people with tokens: one may do all, one decide, one read."""
    listed = [
        {"name": "Ada", "token": ADA, "may": ["read", "check", "decide"]},
        {"name": "Bo", "token": BO, "may": ["decide"]},
        {"name": "Cy", "token": CY},
    ]
    file = tmp_path / "people.yml"
    file.write_text(json.dumps(listed))
    file.chmod(0o640)
    return file


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


def open_page(browser: Any, url: str, said: list[str], **settings: Any) -> Any:
    context = browser.new_context(base_url=url, reduced_motion="reduce", **settings)
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on(
        "console",
        lambda message: (
            said.append(f"{message.text} {message.location}") if message.type == "error" else None
        ),
    )
    return page


def send(page: Any) -> str:
    """Send the sample's manuscript, and return the address of its report."""
    page.set_input_files("#files", [str(file) for file in FILES])
    page.click("text=Check its citations")
    page.wait_for_selector("article.citation")
    return str(page.url)


def send_by_api(client: httpx.Client, sent: Sequence[Path] = FILES) -> str:
    files = [("files", (file.name, file.read_bytes())) for file in sent]
    key = str(client.post("/api/check", files=files).json()["id"])
    while client.get(f"/api/check/{key}").status_code == 202:
        time.sleep(0.2)
    return key


def client_of(url: str, token: str = "") -> httpx.Client:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=url, timeout=60, headers=headers)


def tab_to(page: Any, text: str) -> None:
    """Move the focus by the tabulator alone."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(text):
            return
    pytest.fail(f"{text} is not reached")


@needs_browser
@pytest.mark.usefixtures("sampled")
def test_three_doors_by_the_keyboard_alone(browser: Any, tmp_path: Path) -> None:
    said: list[str] = []
    with serving(None, "--keep", str(tmp_path)) as url:
        page = open_page(browser, url, said)
        page.goto("/")
        assert page.locator(".doors a").count() == 3
        for name, field in (("Find evidence", "citance"), ("Answer a question", "question")):
            page.goto("/")
            page.locator("main").focus()
            tab_to(page, name)
            page.keyboard.press("Enter")
            page.wait_for_selector("#show-help:visible")
            page.keyboard.press("/")
            assert page.evaluate("document.activeElement.id") == field
            page.keyboard.type("Does p53 stop the cell cycle after DNA damage?")
            tab_to(page, "Search" if field == "citance" else "Answer")
            page.keyboard.press("Enter")
            page.wait_for_selector(".results li")
        page.goto("/evidence?citance=p53+stops+the+cell+cycle")
        page.locator(".results .title").first.click()
        page.wait_for_selector("mark:target")
        page.goto("/")
        page.locator("main").focus()
        tab_to(page, "Check my manuscript")
        page.keyboard.press("Enter")
        page.wait_for_url("**/check")
        page.set_input_files("#files", [str(file) for file in FILES])  # the system's own dialog
        tab_to(page, "Check its citations")
        page.keyboard.press("Enter")
        page.wait_for_selector("article.citation")
    assert said == []


@needs_browser
@pytest.mark.usefixtures("sampled")
def test_decisions_by_keys_outlive_the_server(browser: Any, tmp_path: Path) -> None:
    said: list[str] = []
    with serving(None, "--keep", str(tmp_path)) as url:
        page = open_page(browser, url, said)
        page.goto("/check")
        address = send(page)
        page.click("text=You decide as")
        page.fill("#by", "Ada")
        page.click("text=Use this name")
        page.wait_for_selector("summary:has-text('You decide as Ada')")
        for key, state in (("r", "right"), ("w", "wrong"), ("t", "to do")):
            page.keyboard.press("n")
            page.keyboard.press(key)
            page.wait_for_selector(f".citation:focus .decision[data-state='{state}']")
        page.keyboard.press("e")
        page.keyboard.type("ask r, w and t")
        page.keyboard.press("Enter")
        page.wait_for_selector("li:has-text('to do, Ada'):has-text('ask r, w and t')")
        decided = page.inner_text("#decided")
        assert decided.startswith("Decisions: 1 right, 1 wrong, 1 to do, 3 undecided")
        page.check("#left")
        assert page.locator("article.citation:visible").count() == 4
    path = httpx.URL(address).path
    with serving(None, "--keep", str(tmp_path)) as url, client_of(url) as client:
        page = open_page(browser, url, said)
        page.goto(path)
        assert page.inner_text("#decided") == decided
        lines = client.get(f"{path}/decisions.jsonl").text.splitlines()
        assert [json.loads(line)["decision"] for line in lines] == [
            "right",
            "wrong",
            *["to do"] * 2,
        ]
        report = client.get(f"{path}/report.html").text
        assert "ask r, w and t" in report and "<form" not in report
        result = client.get(f"/api{path}").json()
        assert result["decided"]["to do"] == 1
        for scheme in ("light", "dark"):
            shown = open_page(browser, url, said, color_scheme=scheme, bypass_csp=True)
            shown.goto(path)
            found = Axe().run(shown).response["violations"]
            assert [(broken["id"], broken["nodes"][0]["html"]) for broken in found] == []
        narrow = open_page(browser, url, said, viewport={"width": 390, "height": 800})
        narrow.goto(path)
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
        narrow.emulate_media(media="print")
        assert (
            narrow.locator("button:visible, input:visible, nav:visible, form:visible").count() == 0
        )
        assert narrow.locator("mark:visible").count() > 0
        page.click("main ~ form >> text=Delete this report")
        assert client.get(path).status_code == 404
    assert said == []


@needs_browser
@pytest.mark.usefixtures("sampled")
def test_decisions_without_scripts(browser: Any, tmp_path: Path) -> None:
    with serving(None, "--keep", str(tmp_path)) as url, client_of(url) as client:
        key = send_by_api(client)
        page = open_page(browser, url, [], java_script_enabled=False)
        page.goto(f"/check/{key}")
        page.locator("input[name=note]").nth(1).fill("no")
        page.locator("button[value=wrong]:visible").nth(1).click()
        assert "#c" in page.url
        assert page.locator(".citation:target .decision strong").inner_text() == "Wrong"
        kept = client.get(f"/check/{key}/decisions.jsonl").text.replace('"at":"2', '"at":"1')
        (tmp_path / "co.jsonl").write_text("oops\n" + kept.replace('"wrong"', '"right"'))
        own = tmp_path / "own.jsonl"
        own.write_bytes(client.get(f"/check/{key}/decisions.jsonl").content)
        for name, kind, option in (("CSV", "csv", "--csv"), ("Markdown", "md", "--markdown")):
            with page.expect_download() as download:
                page.get_by_role("link", name=name).click()
            assert download.value.suggested_filename == f"signals-citations.{kind}"
            got = Path(download.value.path()).read_text()
            printed = run_citespan("check", str(SIGNALS), option, "--decisions", str(own)).stdout
            assert got == printed.replace(f"{source_of(SIGNALS)},", "signals.md,")
            assert "wrong, " in got
        page.click("text=You decide as")
        page.set_input_files("#file", str(tmp_path / "co.jsonl"))
        page.click("text=Add them")
        assert "o.jsonl:1: not JSON" in page.inner_text(".problem[role=alert]")
        other = decide(make_subject("Yeast grows.", "Ito. Yeast. 2001"), "right", "Bo")
        (tmp_path / "other.jsonl").write_bytes(other.to_line())
        page.click("text=You decide as")
        page.set_input_files("#file", str(tmp_path / "other.jsonl"))
        page.click("text=Add them")
        assert "it may belong to another manuscript" in page.inner_text(".problem")
        with (tmp_path / key / "decisions.jsonl").open("a") as file:
            file.write("edited by hand")
        page.goto(f"/check/{key}")
        problem = page.inner_text("#decided .problem")
        assert problem.endswith("correct or delete this line: it is kept, but not counted.")
        assert client.get(f"/api/check/{key}").json()["problems"] == [problem.removesuffix(".")]
        assert client.get(f"/api/check/{key}/decisions").text.endswith("\nedited by hand")
        page.goto(f"/check/{send_by_api(client, FILES[:1])}")
        assert "signals.bib, which signals.md names, is missing" in page.inner_text("body")
        for link in page.locator("nav a[download]").all():
            got = client.get(str(link.get_attribute("href"))).text
            assert "citespan-serve-" not in got, "names a folder of the server"
        page.click("text=send the manuscript again")
        assert page.url.endswith("/check")


OLDER = {
    2023: "const Today = FormData; window.FormData = class extends Today "
    "{ constructor(form) { super(form); } };",
    2020: "delete SubmitEvent.prototype.submitter; delete Element.prototype.replaceChildren;",
}
"""By the year of a browser, what makes this one lack what that has not."""


@needs_browser
@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("year", OLDER)
def test_old_browsers_search_and_decide(browser: Any, tmp_path: Path, year: int) -> None:
    said: list[str] = []
    with serving(None, "--keep", str(tmp_path)) as url, client_of(url) as client:
        page = open_page(browser, url, said)
        page.add_init_script(OLDER[year])
        page.goto("/article?article=p53-dna-damage")
        page.fill("#citance", "p53 stops the cell cycle")
        page.click("text=Find passages")
        page.wait_for_selector(".passages li")
        page.goto(f"/check/{send_by_api(client)}")
        page.keyboard.press("n")
        page.keyboard.press("w")
        page.wait_for_selector(".citation .decision[data-state='wrong']")
    assert said == []


@pytest.mark.usefixtures("sampled")
def test_several_people_with_what_each_may_do(people: Path, tmp_path: Path) -> None:
    keep = ("--keep", str(tmp_path / "kept"), "--tokens", str(people))
    with (
        serving(None, *keep) as url,
        client_of(url, ADA) as ada,
        client_of(url, BO) as bo,
        client_of(url, CY) as cy,
        client_of(url, "wrong-token-of-nobody") as nobody,
    ):
        key = send_by_api(ada)
        place = f"/api/check/{key}/decisions"
        [first, second, *_] = ada.get(f"/api/check/{key}").json()["citations"]
        new = {"citation": first["id"], "decision": "right"}
        assert bo.post("/api/check", files=[("files", ("a.md", b"# A"))]).status_code == 403
        assert cy.post(place, json=new).status_code == 403
        assert cy.get(place).status_code == 200
        assert nobody.get(place).status_code == 401
        assert bo.post(place, json=new | {"by": "Ada"}).status_code == 400
        cross = {"origin": "https://evil.example", "sec-fetch-site": "cross-site"}
        assert ada.post(place, json=new, headers=cross).status_code == 403
        assert ada.post(place, json=new | {"citation": "9.9.9"}).status_code == 404
        assert ada.post(place, json=new | {"decision": "fine"}).status_code == 422
        assert ada.post(place, json=new).json()["decision"] == "right"
        answer = bo.post(place, json=new | {"decision": "wrong", "note": "read it"}).json()
        assert (answer["decision"], len(answer["decisions"])) == ("disputed", 2)
        assert cy.get(f"/check/{key}").text.count("<form") == 1  # to delete it

        subject = json.loads(ada.get(place).text.splitlines()[0])
        forged = ada.get(place).text + json.dumps(subject | {"note": "by another"}) + "\n"
        refused = bo.put(place, content=forged)
        assert (refused.status_code, "with a token" in refused.text) == (400, True)
        assert bo.put(place, content=ada.get(place).text).json() == {"problems": []}

        def decide_again(number: int) -> int:
            who = (ada, bo)[number % 2]
            said = {"citation": second["id"], "decision": "to do", "note": str(number)}
            return who.post(place, json=said).status_code

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(decide_again, range(30))) == {200}
        lines = [json.loads(line) for line in ada.get(place).text.splitlines()]
        assert {line["note"] for line in lines} >= {str(number) for number in range(30)}
        assert {line["by"] for line in lines} == {"Ada", "Bo"}


def test_a_folder_that_cannot_be_written_is_named_or_done_without(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    away = {**os.environ, "CITESPAN_ES_URL": "http://127.0.0.1:9"}
    with (
        pytest.raises(AssertionError, match="--keep .*can't be written to: .*Not a directory"),
        serving(away, "--keep", str(file / "below")),
    ):
        pytest.fail("it listens")
    with served({**away, "CITESPAN_HOME": str(file)}) as server, client_of(server.url) as client:
        assert client.get("/check").status_code == 200
    assert any("are kept until citespan ends" in line for line in server.log)
