"""The program as strace sees it: whom it talks to, what it writes where, and that none of it is content in clear."""

import base64
import json
import re
import urllib.parse

import pytest
from canaries import Canaries, encodings_for_test, search
from road import Road
from observation import Trace


@pytest.fixture(scope="module")
def observed(tmp_path_factory):
    road = Road(tmp_path_factory.mktemp("observed"))
    try:
        road.walk()
        seen = road.ask("/seen?limit=1000")
    except BaseException:
        road.kill()
        raise
    # Taken while the server has them open: a clean stop folds the log into the database.
    files = {str(path.relative_to(road.data)): path.read_bytes() for path in road.data.rglob("*") if path.is_file()}
    assert road.stop() == 0, road.log_file.read_text(errors="replace")
    return road, Trace(road.trace_file), seen, files


def addresses(*urls):
    ports = {urllib.parse.urlsplit(url).port for url in urls}
    return {(host, port, "stream") for host in ("127.0.0.1", "::1") for port in ports}


def test_the_observer_saw_the_work(observed):
    road, trace, _, _ = observed
    assert trace.calls > 200
    assert trace.written["client"], "nothing was seen going to clients"
    title = json.dumps(road.canaries.text("title"), ensure_ascii=False)[1:-1].encode()
    assert road.canaries["title"].encode() in bytes(trace.written["client"]), f"the answer with {title} was not seen"


def test_every_descriptor_is_known(observed):
    _, trace, _, _ = observed
    assert trace.unknown == []


def test_it_connects_to_nobody_but_apple(observed):
    road, trace, _, _ = observed
    allowed = addresses(road.apple, road.sandbox)
    # glibc asks the kernel for its addresses, the name service cache, and tries routes with datagram sockets that send nothing.
    resolver = {address for address in trace.connected if address[0] in ("netlink", "/var/run/nscd/socket")}
    routes = {address for address in trace.connected if address[2] == "datagram" and address[0] in ("127.0.0.1", "::1")}
    assert trace.connected - resolver - routes - allowed == set()
    assert trace.connected & allowed, "it never connected to Apple"
    assert not any("datagram" in kind for kind in trace.written)


def test_it_writes_to_nothing_but_its_own(observed):
    road, trace, _, _ = observed
    allowed = re.compile(
        r"client|standard output|standard error|pipe|eventfd2|netlink|"
        rf"connection to \('(127\.0\.0\.1|::1)', ({port(road.apple)}|{port(road.sandbox)})\)|"
        rf"file {re.escape(str(road.data))}/reveille\.db(-wal|-shm|-journal|\.slots/\d+)?|"
        r"connection to \('(netlink|/var/run/nscd/socket)', 0\)")
    assert [kind for kind in trace.written if not allowed.fullmatch(kind)] == []
    data = re.escape(str(road.data))
    assert [name for name in trace.names
            if not re.fullmatch(rf"{data}(/reveille\.db(-wal|-shm|-journal|\.slots(/\d+)?)?)?|/dev/null", name)] == []


def port(url):
    return urllib.parse.urlsplit(url).port


def test_it_starts_no_program(observed):
    _, trace, _, _ = observed
    assert len(trace.programs) == 1, trace.programs


def test_no_content_leaves_to_anybody_but_its_client(observed):
    road, trace, _, _ = observed
    # Who has devices is not sealed (docs/privacy.md); everything else is.
    unsealed = {"profile", "producer", "label", "install"}
    for kind, octets in trace.written.items():
        if kind == "client":
            continue
        found = search(road.canaries, bytes(octets))
        if kind.startswith("file "):
            found = {(field, form) for field, form in found if field not in unsealed or form not in ("plain",)}
        assert found == set(), f"{kind}: {found}"
    for name in trace.names | trace.thread_names:
        assert search(road.canaries, name.encode()) == set(), name


def test_apple_received_no_content(observed):
    road, _, seen, _ = observed
    requests = seen["requests"] if "requests" in seen else seen["seen"]
    assert len(requests) >= 2
    for request in requests:
        octets = json.dumps(request["headers"]).encode() + base64.b64decode(request["body_base64"])
        assert search(road.canaries, octets) == set()


def test_files_hold_no_content_and_no_token(observed):
    road, _, _, files = observed
    assert any(name.endswith("-wal") or name == "reveille.db" for name in files)
    for name, octets in files.items():
        found = {(field, form) for field, form in search(road.canaries, octets)
                 if (field, form) not in {(plain, "plain") for plain in ("profile", "producer", "label", "install")}}
        assert found == set(), f"{name}: {found}"
        assert bytes.fromhex(road.device_token) not in octets and road.device_token.encode() not in octets, name
        for secret in (road.producer, road.profile_token, road.device["display_token"], road.environment["REVEILLE_MASTER_KEY"]):
            assert secret.encode() not in octets, name


def test_the_log_holds_no_content_and_no_credential(observed):
    road, trace, _, _ = observed
    log = bytes(trace.written["standard error"]) + bytes(trace.written["standard output"])
    assert b'"level":"debug"' in log, "the log was not at its most verbose"
    assert search(road.canaries, log) == set()
    for secret in (road.producer, road.profile_token, road.device["display_token"], road.device_token):
        assert secret.encode() not in log


@pytest.mark.parametrize("name", sorted(encodings_for_test("x")))
def test_the_search_finds_what_is_planted(name):
    canaries = Canaries()
    planted = encodings_for_test(canaries["title"])[name]
    assert {field for field, _ in search(canaries, planted.encode())} == {"title"}
    assert search(canaries, b"nothing of the kind") == set()
