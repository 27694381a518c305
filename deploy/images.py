"""Naming images by their digests: what a tag stands for may change, a digest's image never does."""

import re
import subprocess
from importlib.resources import files
from pathlib import Path

from citespan.pipelines.errors import CitespanError

_IMAGE = re.compile(
    r"^(?:[ \t]*image:|FROM) (?P<tag>[a-z0-9./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?$", re.MULTILINE
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
FILES = ("compose.yml", "k8s/Dockerfile")


def pin_images(file: Path) -> list[str]:
    """Write the digest that each image's tag has today behind it, and return the tags.

    Raises:
        CitespanError: if Docker can't tell the digest of one; the file is left alone then.
    """
    text = file.read_text(encoding="utf-8")
    digests = {tag: ask_digest(tag) for tag in dict.fromkeys(_IMAGE.findall(text))}
    pinned = _IMAGE.sub(lambda found: _add(found, digests[found["tag"]]), text)
    file.write_text(pinned, encoding="utf-8")
    return list(digests)


def ask_digest(tag: str) -> str:
    """Return the digest of the image, for all platforms, that a tag stands for in its registry.

    Raises:
        CitespanError: if Docker can't tell.
    """
    command = ["docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}", tag]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise CitespanError(f"docker can't be run ({error.strerror}); install it first") from error
    if done.returncode or not _DIGEST.fullmatch(done.stdout.strip()):
        reason = " ".join(done.stderr.split()) or "it gave none"
        raise CitespanError(f"docker can't tell the digest of {tag}: {reason}")
    return done.stdout.strip()


def _add(found: re.Match[str], digest: str) -> str:
    whole = found[0].partition("@")[0]
    return f"{whole}@{digest}"


if __name__ == "__main__":
    for name in FILES:
        for image in pin_images(Path(str(files("citespan.deploy"))) / name):
            print(f"{name}: {image}")  # noqa: T201
