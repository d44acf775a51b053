"""A server that dies in the middle of its work says nothing of what it knew."""

import os
import signal

import pytest
from canaries import search
from road import Road, wait_for


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGTRAP], ids=lambda n: n.name)
def test_a_crash_report_holds_no_content(tmp_path, number):
    road = Road(tmp_path, observed=False)
    try:
        road.walk()
        before = road.log_file.stat().st_size
        os.kill(road.pid, number)
        wait_for(lambda: road.server.poll() is not None, "the end of the server")
        assert road.server.returncode == -number
        report = road.log_file.read_bytes()[before:]
        assert search(road.canaries, road.log_file.read_bytes()) == set()
        # Registers and the memory behind them could hold anything; chance must not decide whether a test sees it.
        assert b"Registers" not in report and b"Backtrace" not in report and b"crashed" not in report.lower(), report
        assert not list(tmp_path.rglob("core*")) and not os.path.exists("core")
    finally:
        road.kill()
