"""The lock of accepted tests, which this version cannot keep yet."""

from pathlib import Path

from answerprobe.errors import ConfigError, Problem


LOCK_NAME = "answerprobe.lock"


def refuse(config_file: Path) -> None:
    """
    Refuse a configuration that has a lock beside it: ignoring it would break a promise.

    Raises:
        ConfigError: there is one.
    """
    path = config_file.parent / LOCK_NAME
    if path.exists():
        message = (
            "accepted tests are not supported yet; remove the file to count every case"
        )
        problem = Problem(file=str(path), line=1, column=1, path="", message=message)
        raise ConfigError((problem,))
