"""The observer itself: a small program leaks on every way, and each leak must be seen."""

import subprocess
import sys

import pytest
from canaries import Canaries, encodings_for_test, search
from observation import CALLS, Trace
from rules import Rules

PORT = 59999  # of nobody; named in the rules as Apple's
# Each leaks the octets in `secret` through one way, and names what the rules must say of it.
LEAKS = {
    "connection to a stranger": (
        "s = socket.socket(); s.connect_ex(('127.0.0.1', 9)); s.close()", "strange_connections"),
    "connection to a stranger over IPv6": (
        "s = socket.socket(socket.AF_INET6); s.connect_ex(('::1', 9)); s.close()", "strange_connections"),
    "local socket": (
        "s = socket.socket(socket.AF_UNIX); s.connect_ex('/run/systemd/journal/stdout'); s.close()", "strange_connections"),
    "datagram": (
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(secret, ('127.0.0.9', 514))", "strange_connections"),
    "datagram over a connection": (
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', 514)); s.send(secret)",
        "strange_connections"),
    "file": ("open(folder + '/notes', 'wb').write(secret)", "strange_names"),
    "file's content": ("open(folder + '/notes', 'wb').write(secret)", "leaks"),
    "sink": ("open(folder + '/notes', 'wb').write(secret)", "strange_sinks"),
    "name of a file": ("os.close(os.open(folder + '/' + secret.decode(), os.O_CREAT | os.O_WRONLY))", "leaks"),
    "name of a folder": ("os.mkdir(folder + '/' + secret.decode())", "leaks"),
    "content in the store": ("open(folder + '/reveille.db', 'wb').write(b'x' * 99 + secret)", "leaks"),
    "store by position": (
        "os.pwrite(os.open(folder + '/reveille.db', os.O_CREAT | os.O_RDWR), secret, 8)", "leaks"),
    "several pieces": (
        "os.writev(os.open(folder + '/reveille.db', os.O_CREAT | os.O_RDWR), [secret[:5], secret[5:]])", "leaks"),
    "standard output": ("os.write(1, secret)", "leaks"),
    "standard error": ("os.write(2, secret)", "leaks"),
    "another descriptor of standard error": ("os.write(os.dup(2), secret)", "leaks"),
    "program": ("subprocess.run(['true', secret.decode()])", "strange_programs"),
    "name of a thread": ("ctypes.CDLL(None).prctl(15, secret[:15], 0, 0, 0)", "strange_threads"),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_seen(tmp_path, name):
    code, rule = LEAKS[name]
    canaries = Canaries()
    secret = canaries["title"]
    folder = tmp_path / "data"
    folder.mkdir()
    program = f"import ctypes, os, socket, subprocess\nfolder, secret = {str(folder)!r}, {secret.encode()!r}\n{code}\n"
    (tmp_path / "leak.py").write_text(program)
    trace_file = tmp_path / "trace"
    subprocess.run(
        ["strace", "-f", "-qq", "-xx", "-s", "1048576", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", str(trace_file),
         sys.executable, "-S", "-E", "-B", str(tmp_path / "leak.py")],
        check=True, timeout=60, capture_output=True)
    trace = Trace(trace_file)
    rules = Rules({PORT}, folder, lambda octets: search(canaries, octets))
    if rule == "strange_threads":
        # Fifteen letters are all that the kernel keeps of a name.
        assert any(secret.startswith(thread) for thread in trace.thread_names - {""})
    else:
        assert getattr(rules, rule)(trace), f"{name} was not seen"


def test_a_program_that_does_nothing_is_not_blamed(tmp_path):
    (tmp_path / "idle.py").write_text("pass\n")
    subprocess.run(
        ["strace", "-f", "-qq", "-xx", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", str(tmp_path / "trace"),
         sys.executable, "-S", "-E", "-B", str(tmp_path / "idle.py")], check=True, timeout=60, capture_output=True)
    trace = Trace(tmp_path / "trace")
    canaries = Canaries()
    canaries["title"]
    rules = Rules({PORT}, tmp_path, lambda octets: search(canaries, octets))
    assert not rules.strange_connections(trace) and not rules.strange_sinks(trace) and not rules.leaks(trace)
    assert not rules.strange_programs(trace) and not rules.strange_names(trace)


@pytest.mark.parametrize("name", sorted(encodings_for_test("x")))
def test_the_search_finds_every_encoding(name):
    canaries = Canaries()
    planted = encodings_for_test(canaries["title"])[name]
    assert {field for field, _ in search(canaries, planted.encode())} == {"title"}
    assert search(canaries, b"nothing of the kind") == set()
