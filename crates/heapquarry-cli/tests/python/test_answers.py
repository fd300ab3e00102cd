"""Answers have the types that docs/schema says."""

import json

import jsonschema
import pytest
from conftest import CORPUS, ROOT, find_recordings, heapquarry, short_name

SCHEMAS = ROOT / "docs" / "schema"
HEAPS = find_recordings(CORPUS)
PROFILES = sorted(p for folder in ("profiles", "pprof") for p in (CORPUS / folder).iterdir() if p.suffix != ".md")
TRACES = sorted(p for folder in ("traces", "ftrace") for p in (CORPUS / folder).iterdir() if p.suffix != ".md")


def strict(schema):
    """A schema that knows all members: one that is not described is an error."""
    schema = {**schema, "unevaluatedProperties": False}
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def validators():
    return {verb: strict(json.loads((SCHEMAS / f"{verb}.answer.json").read_text())) for verb in ("summary", "why", "show")}


def answer(validators, verb, *args):
    found = json.loads(heapquarry(verb, *map(str, args), "--json").stdout)
    errors = [error.message[:300] for error in validators[verb].iter_errors(found)]
    assert not errors, (verb, args, errors)
    assert found["version"] == 2 and found["verb"] == verb and found["inputs"]
    return found


@pytest.mark.parametrize("path", [*HEAPS, *PROFILES, *TRACES], ids=short_name)
def test_summaries(path, validators):
    kind = "heap" if path in HEAPS else "profile" if path in PROFILES else "trace"
    assert answer(validators, "summary", path)["kind"] == kind
    answer(validators, "summary", path, "--top", 1)


@pytest.mark.parametrize("path", HEAPS, ids=short_name)
def test_objects(path, validators):
    largest = answer(validators, "summary", path, "--top", 2)["retainers"]["rows"]
    for row in largest:
        assert answer(validators, "show", path, "--node", row["id"])["of"] == "object"
        answer(validators, "why", path, "--node", row["id"])
        assert answer(validators, "show", path, "--class", row["class_name"], "--top", 3)["of"] == "class"
        answer(validators, "why", path, "--class", row["class_name"], "--shortest")


def test_a_member_that_is_not_described_is_an_error(validators):
    found = answer(validators, "summary", HEAPS[0])
    assert list(validators["summary"].iter_errors({**found, "more": 1}))
    assert list(validators["summary"].iter_errors({key: value for key, value in found.items() if key != "totals"}))
