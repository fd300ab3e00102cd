"""Sessions: what the first question has read, later ones find in memory."""

import os
import shutil

import pytest
from conftest import CORPUS

import heapquarry as hq

LEAK = [CORPUS / f"leak/{number}.heapsnapshot.gz" for number in (1, 2, 3)]
HEAP = LEAK[2]
PROFILE = CORPUS / "profiles/current.cpuprofile"
TRACE = CORPUS / "traces/node26.trace.json.gz"
QUESTIONS = {
    "summary": lambda f: f.summary(),
    "by script": lambda f: f.summary(by="script"),
    "find": lambda f: f.find("Session", top=3),
    "why": lambda f: f.why("Session"),
    "show": lambda f: f.show("SessionStore"),
}


@pytest.fixture
def moved(tmp_path):
    """A copy of an input, at a path that can be taken away."""

    def copy(path):
        return shutil.copy(path, tmp_path / path.name)

    return copy


def answers(file, questions):
    return {name: QUESTIONS[name](file).json() for name in questions}


@pytest.mark.parametrize(
    ("path", "questions"), [(HEAP, [*QUESTIONS]), (PROFILE, ["summary", "by script"]), (TRACE, ["summary"])]
)
def test_later_questions_read_nothing(path, questions, moved):
    file = hq.open(moved(path))
    expected = answers(file, questions)
    with file.session as session:
        assert session.held == 0
        session.summary()
        assert session.held > 0
        os.remove(session._sources[0].name)
        # Each of them again, and the first one in another order.
        assert answers(session, questions) == expected == answers(session, reversed(questions))
    assert session.held == 0
    with pytest.raises(hq.InputError):
        session.summary()


def test_an_opened_input_has_one_session():
    file = hq.open(HEAP)
    assert file.session is file.session is file.session.session
    file.session.summary()
    assert repr(file.session).startswith(f"<Session {HEAP}: heapsnapshot, ") and file.session.held > 1_000_000
    assert file.session.tables == file.tables and len(file.session["source"]) == 1
    file.close()
    assert file.session.held == 0


def test_a_session_is_an_input_of_every_function():
    before, after = (hq.open(path).session for path in (LEAK[0], LEAK[2]))
    assert hq.diff(before, after).json() == before.diff(after).json() == hq.diff(LEAK[0], LEAK[2]).json()
    assert hq.leaks(before, LEAK[1], after).json() == hq.leaks(*LEAK).json()
    assert hq.summary(after).json() == hq.summary(LEAK[2]).json()


def test_several_inputs_are_one_series():
    series = hq.open(LEAK)
    expected = hq.leaks(*LEAK)
    assert series.leaks().json() == series.session.leaks().json() == expected.json()
    assert series.session.diff().json() == hq.diff(*LEAK).json()
    with pytest.raises(hq.Error, match="one"):
        series.session.why("Session")


def test_a_session_stays_redacted():
    session = hq.open(HEAP, redact="full").session
    first = session.summary().json()
    assert first == session.summary().json() and "SessionStore" not in first


def test_what_was_not_read_is_not_kept():
    session = hq.open(HEAP).session
    with pytest.raises(hq.errors.MemoryLimitError):
        hq.summary(session, memory=1)
    assert session.held == 0
    assert session.summary().json() == hq.summary(HEAP).json()
