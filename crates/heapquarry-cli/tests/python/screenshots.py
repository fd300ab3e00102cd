"""Makes the pictures of docs/report.md: `python3 screenshots.py`, with the command in HEAPQUARRY_BIN."""

import tempfile
from pathlib import Path

from browser import Browser
from conftest import CORPUS, ROOT, heapquarry

IMAGES = ROOT / "docs" / "images"


def heap(browser, folder):
    page = folder / "heap.html"
    heapquarry("report", CORPUS / "node24-numeric.heapsnapshot.gz", "-o", page)
    browser.open(page, 1180, 860)
    browser.screenshot(IMAGES / "report-heap.png")


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for picture in (heap,):
            picture(browser, Path(folder))
            assert not browser.log, browser.log


if __name__ == "__main__":
    main()
