import hypothesis.configuration
import pytest

from seed import EXPLANATION
from server import ROOT, Server

# What the library keeps between runs (tables of Unicode) belongs to the build, not to the sources.
hypothesis.configuration.set_hypothesis_home_dir(str(ROOT / "build/hypothesis"))


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    alive = running.process.poll() is None
    output = running.output()
    status = running.stop()
    assert alive, "the server died during the tests:\n" + output
    assert status == 0, output


def pytest_terminal_summary(terminalreporter):
    """Says how to have the same requests again, however the tests end."""
    terminalreporter.write_line(EXPLANATION)
