import tempfile

import hypothesis.configuration
import pytest

from server import Server

# Examples are derived anew in each run; what the library keeps beside them has no place in the repository.
hypothesis.configuration.set_hypothesis_home_dir(tempfile.mkdtemp(prefix="reveille-hypothesis-"))


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    alive = running.process.poll() is None
    output = running.output()
    status = running.stop()
    assert alive, "the server died during the tests:\n" + output
    assert status == 0, output
