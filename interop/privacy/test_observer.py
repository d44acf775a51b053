"""The program as strace sees it: whom it talks to, what it writes where, and that none of it is content in clear."""

import base64
import json
import urllib.parse

import pytest
from canaries import search
from observation import Trace
from road import Road
from rules import Rules


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


@pytest.fixture(scope="module")
def rules(observed):
    road = observed[0]
    ports = {urllib.parse.urlsplit(url).port for url in (road.apple, road.sandbox)}
    return Rules(ports, road.data, lambda octets: search(road.canaries, octets))


def test_the_observer_saw_the_work(observed):
    road, trace, _, _ = observed
    assert trace.calls > 200
    assert trace.written["client"], "nothing was seen going to clients"
    title = json.dumps(road.canaries.text("title"), ensure_ascii=False)[1:-1].encode()
    assert road.canaries["title"].encode() in bytes(trace.written["client"]), f"the answer with {title} was not seen"


def test_every_descriptor_is_known(observed):
    _, trace, _, _ = observed
    assert trace.unknown == []


def test_it_connects_to_nobody_but_apple(observed, rules):
    _, trace, _, _ = observed
    assert rules.strange_connections(trace) == []
    assert any(port in rules.ports for _, port, _ in trace.connected), "it never connected to Apple"


def test_it_writes_to_nothing_but_its_own(observed, rules):
    _, trace, _, _ = observed
    assert rules.strange_sinks(trace) == []
    assert rules.strange_names(trace) == []


def test_it_starts_no_program(observed, rules):
    _, trace, _, _ = observed
    assert len(trace.programs) == 1
    assert rules.strange_programs(trace) == []


def test_no_content_leaves_to_anybody_but_its_client(observed, rules):
    _, trace, _, _ = observed
    assert rules.leaks(trace) == []


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
        assert Rules.sealed(search(road.canaries, octets)) == set(), name
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
