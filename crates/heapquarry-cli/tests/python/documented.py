"""What the documentation says of tables and codes, in the form that the tests compare with."""

import re

from conftest import ROOT

# Types of the oracles as `heapquarry schema` writes them.
SCHEMA_TYPES = {"int32": "INT32", "int64": "INT64", "text": "string", "label": "dict", "float64": "DOUBLE"}


def documented_severities():
    """Code to severity, from the page about damaged input."""
    severities = {}
    for line in (ROOT / "docs" / "input-errors.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            severities |= dict.fromkeys(re.findall(r"`(\w+)`", cells[0]), cells[1])
    return severities
