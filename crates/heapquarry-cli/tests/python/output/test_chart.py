"""The chart of README."""

import subprocess
import sys

from conftest import ROOT


def test_the_chart_is_that_of_the_figures():
    drawn = subprocess.run([sys.executable, ROOT / "benches/peers/chart.py"], capture_output=True, text=True, check=True)
    assert drawn.stdout == (ROOT / "docs/images/speed.svg").read_text()
    # Each row of the tables is there: what fails, too.
    assert drawn.stdout.count(">fails<") == 1 and drawn.stdout.count('class="ours"') == 4
