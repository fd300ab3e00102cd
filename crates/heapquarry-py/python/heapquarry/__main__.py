"""The command, as `heapquarry` and as `python -m heapquarry`."""

import importlib.util
import os
import signal
import sys


def main() -> None:
    """Runs the command and ends the process, as a program of its own would."""
    # An interrupt is for the command: it removes what is incomplete, and says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ._native import command

    # Where no `duckdb` is installed as a command, `query` uses the package of this interpreter.
    if sys.executable and importlib.util.find_spec("duckdb") is not None:
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_duckdb_command.py")
        os.environ["HEAPQUARRY_PYTHON_DUCKDB"] = os.pathsep.join([sys.executable, script])
    name = "heapquarry"
    os._exit(command([name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
