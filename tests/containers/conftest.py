"""What the tests of the compose file share."""

import json

from collections.abc import Mapping
from typing import Any

import pytest

from containers.composing import composed


@pytest.fixture(name="services", scope="session")
def _services() -> Mapping[str, Any]:
    """Return the services as docker compose would start them."""
    done = composed(GRAFANA_ADMIN_PASSWORD="known")  # noqa: S106  # a test's
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["services"]
    return found
