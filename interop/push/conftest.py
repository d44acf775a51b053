import pytest

from emulators import Emulators


@pytest.fixture(scope="session")
def running(tmp_path_factory):
    emulators = Emulators(tmp_path_factory.mktemp("push"))
    yield emulators
    alive = emulators.process.poll() is None
    status = emulators.stop()
    assert alive, "the emulators died during the tests"
    assert status == 0


@pytest.fixture
def emulators(running):
    for name in ("fcm", "webpush", "unifiedpush"):
        running.ask(name, "/reset", "POST", {})
    return running
