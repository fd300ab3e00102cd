"""Answers as literals of programs in TypeScript and Python: compilers hold them against the types of the packages."""

import json
import subprocess
import sys

from conftest import ROOT

SCHEMAS = sorted((ROOT / "docs" / "schema").glob("*.answer.json"))


def words_of(schema):
    """The words that a schema knows: each can decide which type it is."""
    if isinstance(schema, list):
        return {word for each in schema for word in words_of(each)}
    if not isinstance(schema, dict):
        return set()
    own = {word for word in [schema.get("const"), *schema.get("enum", [])] if isinstance(word, str)}
    return own | words_of(list(schema.values()))


WORDS = words_of([json.loads(path.read_text()) for path in SCHEMAS])


def shape(value):
    """What decides the type of a value: members, types and the words of schemas."""
    if isinstance(value, dict):
        return tuple((key, shape(member)) for key, member in value.items())
    if isinstance(value, list):
        return frozenset(map(shape, value))
    return value if value in WORDS else type(value).__name__


def thin(value):
    """The value with one element of each shape in its arrays."""
    if isinstance(value, dict):
        return {key: thin(member) for key, member in value.items()}
    if isinstance(value, list):
        return list({shape(each): thin(each) for each in value}.values())
    return value


class Seen:
    """What was asked, and one answer of each shape."""

    def __init__(self):
        self.answers, self.asked = {}, set()

    def add(self, answer):
        verb = answer["verb"]
        self.asked.update((verb, given) for given in answer["inputs"])
        self.answers.setdefault((verb, shape(answer)), (f"{verb.capitalize()}Answer", thin(answer)))

    def literals(self):
        """Each as the name of its type and its value."""
        return list(self.answers.values())


def broken(answer):
    """The answer with a member too many, with one too few, and with one of another type."""
    first = next(iter(answer))
    return [{**answer, "more": 1}, {key: answer[key] for key in answer if key != first}, {**answer, first: "two"}]


def compile_typescript(literals, folder, tsc):
    """What the compiler says of the answers; of those that are broken it must find each."""
    lines = ["import type * as hq from './answers.js';"]
    for number, (name, value) in enumerate(literals):
        lines.append(f"export const a{number}: hq.{name} = {json.dumps(value, indent=1)};")
    name, value = literals[0]
    for number, wrong in enumerate(broken(value)):
        lines += ["// @ts-expect-error", f"export const w{number}: hq.{name} = {json.dumps(wrong)};"]
    (folder / "answers.d.ts").write_text((ROOT / "npm/heapquarry/lib/answers.d.ts").read_text())
    (folder / "typed.ts").write_text("\n".join(lines))
    return run(["node", tsc, "--strict", "--noEmit", "--target", "es2022", "typed.ts"], folder)


def compile_python(literals, folder):
    """What mypy says of the answers; of those that are broken it must find each."""
    lines = ["import answers"]
    for number, (name, value) in enumerate(literals):
        lines.append(f"a{number}: answers.{name} = {value!r}")
    name, value = literals[0]
    for number, wrong in enumerate(broken(value)):
        # An ignored error that is none is an error of `--strict`.
        lines.append(f"w{number}: answers.{name} = {wrong!r}  # type: ignore")
    (folder / "answers.py").write_text((ROOT / "crates/heapquarry-py/python/heapquarry/answers.py").read_text())
    (folder / "typed.py").write_text("\n".join(lines))
    return run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", "typed.py"], folder)


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=300)
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[:5000] or str(done.returncode)
