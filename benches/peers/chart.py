"""Draws the tables of docs/performance.md that compare heapquarry with other tools, for README: time and peak memory.

python3 benches/peers/chart.py > docs/images/speed.svg

A table has one of HEADINGS in its first cell. A row has a name, what is said of it in brackets, seconds of wall and of
CPU time, and megabytes; or a name and a failure.
"""

import re
from html import escape
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs/performance.md"
HEADINGS = {"converting": "Convert to Parquet", "analysing": "Find what retains memory"}
# Variants are for readers of the tables.
LEFT_OUT = re.compile(r"^heapquarry --|^the same")
NAMES, BARS, GAP, ROW = 265, 200, 40, 22
WIDTH = NAMES + 2 * (BARS + GAP) + GAP
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .head { font-weight: 600 } .few { fill: #59636e }
.ours { fill: #1a7f37 } .others { fill: #8c959f }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .few { fill: #9198a1 } .ours { fill: #3fb950 } }
"""


def tables(document):
    """The rows of each table of HEADINGS: name, seconds, megabytes; or the name of what fails."""
    rows = None
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            rows = None
        elif heading := next((text for word, text in HEADINGS.items() if cells[0].startswith(word)), None):
            rows = []
            yield heading, rows
        elif rows is not None and not cells[0].startswith("---"):
            name = re.sub(r" \(.*|`", "", cells[0])
            if cells[1].startswith("fails"):
                rows.append((name, None, None))
            elif not LEFT_OUT.search(cells[0].replace("`", "")):
                seconds, megabytes = (float(re.sub(r"[^\d.]", "", cells[i])) for i in (1, 3))
                rows.append((name, seconds, megabytes))


def bar(x, y, value, most, text, kind):
    width = max(1, value / most * (BARS - 60))
    yield f'<rect class="{kind}" x="{x}" y="{y - 11}" width="{width:.0f}" height="14" rx="2"/>'
    yield f'<text class="few" x="{x + width + 6:.0f}" y="{y}">{text}</text>'


def draw(document):
    y = 0
    for heading, rows in list(tables(document)):
        y += ROW + 6
        times, sizes = NAMES, NAMES + BARS + GAP
        yield f'<text class="head" x="0" y="{y}">{escape(heading)}</text>'
        yield f'<text class="few" x="{times}" y="{y}">time</text><text class="few" x="{sizes}" y="{y}">peak memory</text>'
        done = [row for row in rows if row[1]]
        for name, seconds, megabytes in rows:
            y += ROW
            kind = "ours" if name.startswith("heapquarry") else "others"
            yield f'<text x="0" y="{y}">{escape(name)}</text>'
            if seconds is None:
                yield f'<text class="few" x="{times}" y="{y}">fails</text>'
                continue
            yield from bar(times, y, seconds, max(row[1] for row in done), f"{seconds:.1f} s", kind)
            yield from bar(sizes, y, megabytes, max(row[2] for row in done), f"{megabytes / 1000:.1f} GB", kind)
        y += 8
    yield f"<!-- {y} -->"


def main():
    parts = list(draw(DOCUMENT.read_text()))
    height = int(parts.pop().strip("<!- >")) + 6
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">')
    print(f"<style>{STYLE}</style>", *parts, "</svg>", sep="\n")


if __name__ == "__main__":
    main()
