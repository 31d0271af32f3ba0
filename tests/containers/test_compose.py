"""What docker compose is told."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from answerprobe import __version__
from containers.composing import composed


SERVICES = ["alertmanager", "answerprobe", "grafana", "prometheus", "shop"]


class TestFile:
    """All of `compose.yaml`."""

    def test_is_one_that_docker_compose_accepts(
        self, services: Mapping[str, Any]
    ) -> None:
        """Its own parser, schema and interpolation."""
        assert sorted(services) == SERVICES

    def test_without_a_password_it_says_what_to_set(self) -> None:
        """Nobody starts a Grafana with a password that everybody knows."""
        done = composed()

        assert done.returncode != 0
        assert "GRAFANA_ADMIN_PASSWORD" in done.stderr

    @pytest.mark.parametrize("name", SERVICES)
    def test_service_is_hardened(self, services: Mapping[str, Any], name: str) -> None:
        """Nothing to write to but volumes, and no rights."""
        service = services[name]

        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]

    def test_nothing_is_published_beyond_this_machine(
        self, services: Mapping[str, Any]
    ) -> None:
        """Every port is one of loopback."""
        ports = [port for each in services.values() for port in each.get("ports", ())]

        assert len(ports) == 4
        assert {port["host_ip"] for port in ports} == {"127.0.0.1"}

    def test_images_are_pinned(self, services: Mapping[str, Any]) -> None:
        """Each to a version; ours to that of the package."""
        tags = {
            name: each["image"].rpartition(":")[2] for name, each in services.items()
        }

        assert tags["answerprobe"] == tags["shop"] == __version__
        assert [tag for tag in tags.values() if tag.count(".") != 2] == []

    def test_what_is_mounted_is_there(self, services: Mapping[str, Any]) -> None:
        """Or docker would make empty folders of it."""
        sources = [
            Path(volume["source"])
            for service in services.values()
            for volume in service.get("volumes", ())
            if volume["type"] == "bind"
        ]

        assert [source for source in sources if not source.exists()] == []

    def test_volumes_are_not_part_of_the_configuration(
        self, services: Mapping[str, Any]
    ) -> None:
        """What is mounted from here cannot be changed from there."""
        binds = [
            volume
            for service in services.values()
            for volume in service.get("volumes", ())
            if volume["type"] == "bind"
        ]

        assert [volume for volume in binds if not volume.get("read_only")] == []
