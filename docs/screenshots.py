"""The pictures of the docs: pages of `citespan serve` about the sample, as a browser shows them.

`make screenshots` loads the sample and runs this.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from citespan.pipelines.evaluation.shipped import sample

TO = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
SIZE = {"width": 1280, "height": 720}
_DRAWN = 1000  # milliseconds
CITANCE = "When DNA is damaged, p53 is stabilised and stops the cell cycle through p21 [12]"
MANUSCRIPT = sample("jats").parent / "manuscript" / "signals.md"


@contextmanager
def serve() -> Iterator[str]:
    """The address of a running `citespan serve`, which is stopped at the end."""
    command = [sys.executable, "-m", "citespan.cli.main", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            yield line.split()[2].rstrip("/")
        finally:
            process.terminate()


def show_evidence(page: Page, url: str) -> None:
    """Open an article at its first passage."""
    asked = urlencode({"article": "p53-dna-damage", "citance": CITANCE})
    page.goto(f"{url}/article?{asked}")
    page.locator("mark").first.scroll_into_view_if_needed()


def show_check(page: Page, url: str) -> None:
    """Check the sample's manuscript, and decide about its first citation."""
    page.goto(f"{url}/check")
    page.set_input_files("#files", [MANUSCRIPT, MANUSCRIPT.with_suffix(".bib")])
    page.click("text=Check its citations")
    page.wait_for_selector("article.citation")
    page.click("text=You decide as")
    page.fill("#by", "Ada")
    page.click("text=Use this name")
    page.wait_for_selector("summary:has-text('Ada')")
    page.keyboard.press("n")
    page.keyboard.press("r")
    page.wait_for_selector(".decision[data-state=right]")


def main() -> None:
    """Write both pictures."""
    TO.mkdir(exist_ok=True)
    with serve() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        for name, show in (("evidence", show_evidence), ("check", show_check)):
            show(page, url)
            page.wait_for_timeout(_DRAWN)  # paragraphs are drawn when they come into view
            page.screenshot(path=TO / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
