import shutil
import subprocess

import pytest


@pytest.fixture(scope="session", autouse=True)
def observer():
    """strace must be there and be allowed to look."""
    assert shutil.which("strace"), "strace is missing: run 'scripts/bootstrap interop'"
    done = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, timeout=30)
    assert done.returncode == 0, f"strace may not observe here: {done.stderr.decode()}"
