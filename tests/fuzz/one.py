"""Fuzz one by coverage: `python -m fuzz.one NAME CORPUS [FLAGS of libFuzzer]`."""

import sys

import atheris


# Instruments what is imported within: only our own code is to be explored.
with atheris.instrument_imports(include=["answerprobe"]):
    from fuzz.hostile import FUZZED


def main() -> None:
    """Feed it until the time that libFuzzer was given is over, or it breaks."""
    name, *rest = sys.argv[1:]
    atheris.Setup([sys.argv[0], *rest], FUZZED[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
