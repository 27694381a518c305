"""The terminal, by rich: imported when something is shown there, since rich takes a while."""

import sys
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

# A pipe has no width to fit into; tables are not squeezed for it.
_PIPE_WIDTH = 160

# What a terminal would obey, except the ends of lines.
_CONTROLS = {c: "\ufffd" for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\n\t"}


class SafeConsole(Console):
    """A console on which quoted text can't move the cursor or colour anything."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Render with a replacement character for each control character."""
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else segment.text.translate(_CONTROLS)
            yield Segment(shown, segment.style, segment.control)


standard_output = SafeConsole(
    highlight=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH
)
standard_error = Console(stderr=True, highlight=False, emoji=False, soft_wrap=True)
