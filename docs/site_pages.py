"""The pages of the site that are written outside of `docs`, README as the first of them.

MkDocs calls `on_files` as a hook. Links between the files become links between the pages.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
MOVED = {
    "README.md": "index.md",
    "pipelines/citations/resolution.md": "resolution.md",
    **{
        name: name
        for name in (
            *("CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"),
            *("deploy/README.md", "deploy/operations.md", "deploy/sizing.md"),
        )
    },
}
"""Files outside of `docs`, each with its page."""
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for name, page in MOVED.items():
        text = _change_links((ROOT / name).read_text(encoding="utf-8"), name, page)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Change the links of pages that are written in `docs`."""
    if page.file.generated_by:
        return markdown
    return _change_links(markdown, f"docs/{page.file.src_uri}", page.file.src_uri)


def _change_links(text: str, name: str, page: str) -> str:
    """Return the text of a file with its links to other files as they are from the page; a link to
    a file that has no page, such as one of code, becomes its text."""

    def change(link: re.Match[str]) -> str:
        shown, path, anchor = link[1], link[2], link[3] or ""
        target = normpath(str(PurePosixPath(name).parent / path))
        if target in MOVED or not (ROOT / target).is_file() or target.startswith("docs/"):
            there = MOVED.get(target, target.removeprefix("docs/"))
        else:
            return shown
        return f"[{shown}]({relpath(there, str(PurePosixPath(page).parent))}{anchor})"

    return _LINK.sub(change, text)
