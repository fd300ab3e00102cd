"""The command, as `heapquarry` and as `python -m heapquarry`."""

import os
import signal
import sys


def main() -> None:
    """Runs the command and ends the process, as a program of its own would."""
    # An interrupt is for the command: it removes what is incomplete, and says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ._native import command

    name = "heapquarry"
    os._exit(command([name, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
