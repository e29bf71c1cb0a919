"""Plain text tables: for the terminal, aligned; for a card, in Markdown. No colours, no wrapping."""

from __future__ import annotations

from collections.abc import Sequence

Row = Sequence[str]


def aligned(header: Row, rows: Sequence[Row], *, indent: str = "  ") -> str:
    """A table in columns: the first one to the left, the others to the right.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequence of str
        Each as long as the header.
    indent : str, default=two spaces
    """
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines = []
    for first, *others in (header, *rows):
        cells = [first.ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True))]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def markdown(header: Row, rows: Sequence[Row]) -> str:
    """A table of a Markdown file: the first column to the left, the others to the right."""
    rule = ["---", *("---:" for _ in header[1:])]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in (header, rule, *rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in escaped)


def share(value: float) -> str:
    """A share in [0, 1] with three digits: 0.756."""
    return f"{value:.3f}"


def percent(value: float) -> str:
    """A share in [0, 1] in per cent with one digit: 3.2 %."""
    return f"{100 * value:.1f} %"
