"""Fixtures for the suites that need a simulated Google; their `conftest.py` imports them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from provider.gcp.rest import Google, authorised_session
from tests.engine import Engine
from tests.gcp_double.cloud import ALWAYS_ENABLED, PROJECT, Cloud
from tests.gcp_double.credentials import write_credentials
from tests.gcp_double.plugins import install
from tests.gcp_double.rest import GoogleServer, serving

SERVICES = ("compute", "container", "artifactregistry", "iam", "cloudbuild", "cloudscheduler")


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    """A cloud in which nothing exists and no API is on but those that every project has."""
    return Cloud(tmp_path / "cloud.json")


@pytest.fixture
def server(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    """Google's APIs for that cloud; this process and those that it starts use them."""
    with serving(cloud) as running:
        for name, value in write_credentials(tmp_path, running.address).items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def google(server: GoogleServer, cloud: Cloud) -> Google:
    """A client of those APIs, all of them enabled."""
    with cloud.open() as state:
        state.enabled = [*ALWAYS_ENABLED, *SERVICES]
    return Google(PROJECT, authorised_session(backoff_s=0))


@pytest.fixture
def gcp_engine(engine: Engine, cloud: Cloud, server: GoogleServer, tmp_path: Path) -> Engine:
    """The real engine, with the double in the place of the GCP provider and of Google's APIs."""
    plugins = tmp_path / "plugins"
    engine.environment |= install(plugins, cloud.path) | write_credentials(tmp_path, server.address)
    engine.environment["PATH"] = f"{plugins}{os.pathsep}{engine.environment['PATH']}"
    return engine
