import pytest

from emulator import Emulator


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    emulator = Emulator(tmp_path_factory.mktemp("apns"))
    yield emulator
    alive = emulator.process.poll() is None
    status = emulator.stop()
    assert alive, "the emulator died during the tests"
    assert status == 0


@pytest.fixture
def apple(running):
    running.reset()
    return running
