"""The pages of `citespan serve` in a real browser: what is clicked, typed and seen."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import loading
import pytest
from axe_playwright_python.sync_playwright import Axe
from elasticsearch import Elasticsearch
from fault_proxy import Fault, proxy
from playwright.sync_api import expect, sync_playwright
from real_node import run_citespan
from served import HOSTILE, make_long_article, serving

import citespan as front_door
from citespan.pipelines.evaluation.shipped import sample

CHROMIUM = Path("/usr/bin/chromium")
CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle through wibble p21 [12]"
SIGNALS = sample("jats").parent / "manuscript" / "signals.md"
SECONDS = 15_000

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")


@pytest.fixture(scope="module")
def away() -> Event:
    """Set while Elasticsearch is away."""
    return Event()


@pytest.fixture(scope="module")
def url(node: str, away: Event) -> Iterator[str]:
    """The address of the pages."""
    with front_door.connect(node) as es:
        front_door.index(sample("jats"), layout="sentences", client=es, processes=0)
        loading.load(es, [HOSTILE, make_long_article()], layout="sentences")

    def choose(_: object) -> Fault | None:
        return Fault.UNAVAILABLE if away.is_set() else None

    with (
        proxy(node, choose=choose) as address,
        serving({**os.environ, "CITESPAN_ES_URL": address}) as pages,
    ):
        yield pages.rstrip("/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        # No sandbox: where tests run as root, it can't be had.
        started = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    """A page that reports what it runs or loads against its policy, or fails at."""
    context = browser.new_context(base_url=url, permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(SECONDS)
    opened = context.new_page()
    said: list[str] = []
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            said.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    yield opened
    context.close()
    assert said == []


def ask(page: Any, citance: str = CITANCE) -> None:
    page.fill("#citance", citance)
    page.click("text=Find passages")
    page.wait_for_selector(".passages li")


def test_from_the_list_to_marks_in_the_text(page: Any) -> None:
    page.goto("/")
    page.fill("#q", "DNA damage")
    page.click("button >> text=Find")
    page.click(".title >> text=The p53 pathway")
    assert page.locator("mark").count() == 0
    ask(page)
    assert "Found" in page.inner_text(".verdict")
    assert page.inner_text(".missing .word") == "wibble"
    first = page.locator(".passages li").first
    quoted = first.locator("blockquote").inner_text()
    first.locator(".where a").click()
    mark = page.locator("mark:target")
    assert mark.inner_text() == quoted
    assert mark.locator("b").count() > 0
    assert mark.evaluate("one => getComputedStyle(one).backgroundColor") == "rgb(255, 241, 179)"
    page.locator(".rank.a >> text=1").click()
    assert page.url.endswith("#item-a1")


def test_an_address_shows_what_it_showed(page: Any) -> None:
    page.goto("/article?article=p53-dna-damage")
    ask(page)
    shown = page.inner_text("#found"), page.locator("mark").count()
    assert "citance=When" in page.url
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(".passages li")
    assert (page.inner_text("#found"), page.locator("mark").count()) == shown
    page.reload()
    assert (page.inner_text("#found"), page.locator("mark").count()) == shown


def test_the_slider_changes_the_number_of_passages_and_keeps_the_focus(page: Any) -> None:
    page.goto(f"/article?article=p53-dna-damage&top=1&citance={CITANCE}")
    assert page.locator(".passages li").count() == 1
    slider = page.locator("#top")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**top=2**")
    expect(page.locator(".passages li")).to_have_count(2)
    assert page.inner_text("output") == "2"
    assert page.evaluate("document.activeElement.id") == "top"
    assert (
        len(set(page.locator("mark").evaluate_all("all => all.map(one => one.dataset.passages)")))
        == 2
    )
    page.go_back()
    expect(page.locator(".passages li")).to_have_count(1)


def test_two_methods_side_by_side(page: Any) -> None:
    page.goto("/article?article=p53-dna-damage")
    ask(page)
    page.click("text=Method and comparison")
    page.select_option("#other_ranker", "none")
    page.wait_for_selector(".method.b .passages li")
    boxes = [page.locator(f".method.{letter}").bounding_box() for letter in "ab"]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert page.locator("mark.b").count() > page.locator("mark.a.b").count() > 0


def test_the_keyboard_alone_is_enough(page: Any) -> None:
    page.goto("/")
    page.wait_for_selector("#show-help")  # the script runs
    page.keyboard.press("/")
    page.keyboard.type("DNA damage")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=DNA**")
    page.wait_for_selector("#show-help")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    page.wait_for_selector("#citance")
    page.wait_for_selector("#show-help")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "citance"
    page.keyboard.type("p53 stops the cell cycle? n p +")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".passages li")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.id") == "item-a1"
    page.keyboard.press("t")
    assert page.evaluate("document.activeElement.dataset.passages") == "a1"
    page.keyboard.press("t")
    assert page.evaluate("document.activeElement.id") == "item-a1"
    page.keyboard.press("y")
    page.wait_for_selector("#notice:has-text('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.search(r"^“[^<]+” [^<]*The p53 pathway[^<]*characters \d+–\d+\.$", copied)
    page.keyboard.press("+")
    page.wait_for_url("**top=4**")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_keys_can_be_turned_off(page: Any) -> None:
    page.goto("/")
    page.click("#show-help")
    page.uncheck("#keys-on")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"
    page.reload()
    page.keyboard.press("?")
    assert not page.is_checked("#keys-on")


def test_a_selection_is_copied_with_its_offsets(page: Any) -> None:
    page.goto("/article?article=p53-dna-damage&citance=p53+stops+the+cell+cycle+[12]")
    page.evaluate(
        """() => {
            const [one, other] = ["s6", "s7"].map((id) => document.getElementById(id));
            const walker = document.createTreeWalker(other, NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            range.setStart(one.firstChild, 4);
            range.setEnd(walker.nextNode(), 4);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }"""
    )
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    [found] = re.findall(r"Characters (\d+)–(\d+)\.$", copied)
    sentences = page.request.get("/api/article?article=p53-dna-damage").json()["sentences"]
    assert int(found[0]) == sentences[6]["start"] + 4
    assert int(found[1]) == sentences[7]["start"] + 4
    assert copied.startswith(f"“{sentences[6]['text'][4:]} {sentences[7]['text'][:4]}”")


def test_nothing_of_an_article_runs(page: Any) -> None:
    page.goto(f"/article?article={HOSTILE.id.replace('<', '%3C').replace('>', '%3E')}")
    ask(page, "<script>document.title='run'</script> p53 repairs DNA damage in cells")
    assert "run" not in page.title().split(" ")[0]
    assert page.locator("#text img, #text script").count() == 0
    assert "<script>document.title='run'</script> binds p53 &amp;" in page.inner_text("#text")
    hebrew = page.locator("p.paragraph", has_text="מחזור")
    assert hebrew.evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_the_page_says_that_the_server_is_away_and_comes_back(page: Any, away: Event) -> None:
    page.goto("/article?article=p53-dna-damage")
    away.set()
    try:
        page.fill("#citance", CITANCE)
        page.click("text=Find passages")
        page.wait_for_selector("#notice:has-text('asks again by itself')")
        assert page.locator("#s6").is_visible()
        other = page.context.new_page()
        other.goto("/article?article=p53-dna-damage")
        assert "There is no answer at the moment" in other.inner_text("h1")
    finally:
        away.clear()
    page.wait_for_selector(".passages li")
    assert page.inner_text("#notice") == ""
    other.wait_for_selector("#s6")


def test_a_manuscript_is_checked_with_progress(page: Any) -> None:
    page.goto("/check")
    page.set_input_files("#files", [str(SIGNALS), str(SIGNALS.with_suffix(".bib"))])
    page.click("text=Check its citations")
    page.wait_for_selector("article.citation")
    assert page.locator("article.citation").count() == 6
    page.select_option("#order", "most")


def test_questions_and_their_filters(page: Any) -> None:
    page.goto("/answers")
    page.fill("#question", "Does p53 stop the cell cycle?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".results li")
    assert "stop in G1" in page.locator(".results mark").first.inner_text()
    page.check("input[value=Results]")
    page.wait_for_url("**zone=Results**")
    expect(page.locator(".results li")).to_have_count(0)


def test_a_long_article_stays_smooth(page: Any) -> None:
    page.goto("/article?article=long")
    assert len(page.text_content("#text")) > 1_000_000
    page.fill("#citance", "Whales sing at night below the ice")
    page.click("text=Find passages")
    page.wait_for_selector(".passages li")
    page.evaluate("window.isSame = true")
    page.locator(".where a").first.click()
    assert "Whales sing" in page.inner_text("mark:target")
    page.wait_for_timeout(500)
    assert page.evaluate("window.isSame"), "a link to a passage loads the page again"
    expect(page.locator("mark:target")).to_be_in_viewport()
    frames = page.evaluate(
        """async () => {
            const times = [];
            for (let step = 0; step < 30; step++) {
                scrollBy({ top: -700, behavior: "instant" });
                const before = performance.now();
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                times.push(performance.now() - before);
            }
            return times.sort((a, b) => a - b)[15];
        }"""
    )
    assert frames < 100, "ms, the median frame of scrolling"


VIEWS = (
    f"/article?article=p53-dna-damage&citance={CITANCE}&other_ranker=none",
    "/article?article=nothing",
    "/",
    f"/evidence?citance={CITANCE}",
    "/answers?question=p53",
    "/check",
    "/api",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
def test_it_fits_the_screen(browser: Any, url: str, scheme: str, width: int) -> None:
    context = browser.new_context(
        base_url=url, color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    page = context.new_page()
    for view in VIEWS:
        page.goto(view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(browser: Any, url: str, scheme: str, tmp_path: Path) -> None:
    done = run_citespan("check", str(SIGNALS), "--html", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stderr
    context = browser.new_context(base_url=url, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    for view in (*VIEWS, (tmp_path / "report.html").as_uri()):
        page.goto(view)
        found = Axe().run(page).response["violations"]
        assert [(view, violation["id"], violation["nodes"][0]["html"]) for violation in found] == []
    context.close()


def test_reduced_motion_is_honoured_and_print_has_text_and_marks_alone(
    browser: Any, url: str
) -> None:
    context = browser.new_context(base_url=url, reduced_motion="reduce", color_scheme="dark")
    page = context.new_page()
    for view in (
        f"/article?article=p53-dna-damage&citance={CITANCE}",
        "/",
        f"/evidence?citance={CITANCE}",
    ):
        page.emulate_media(media="screen")
        page.goto(view)
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
        page.emulate_media(media="print")
        assert page.locator("button:visible, input:visible, nav:visible, form:visible").count() == 0
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert (page.locator("mark:visible").count() > 0) == ("citance" in view)
        assert page.locator("main a").first.is_visible()
    context.close()


def test_it_works_without_scripts(browser: Any, url: str) -> None:
    context = browser.new_context(base_url=url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/article?article=p53-dna-damage")
    page.fill("#citance", CITANCE)
    page.click("text=Find passages")
    assert page.locator(".passages li").count() > 0
    assert page.locator("mark").count() > 0
    context.close()


def test_two_tabs_do_not_disturb_each_other(page: Any, es: Elasticsearch) -> None:
    page.goto("/article?article=p53-dna-damage")
    other = page.context.new_page()
    other.goto("/article?article=insulin-glut4")
    ask(page)
    other.fill("#citance", "Insulin brings GLUT4 to the surface")
    other.click("text=Find passages")
    other.wait_for_selector(".passages li")
    page.locator("#top").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**top=2**")
    assert "p53" in page.inner_text("h1")
    assert "GLUT4" in other.inner_text(".passages li:first-child blockquote")
