"""aioapns, a sender in the field, against the emulator."""

import asyncio
import uuid

import pytest
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol, APNsProductionClientProtocol

from emulator import KEY_ID, TEAM_ID, TOPIC

TOKEN = "ab" * 32
ALERT = {"aps": {"alert": {"title-loc-key": "T", "loc-key": "B"}, "mutable-content": 1}}


def send(apple, monkeypatch, requests, key=None, use_sandbox=False):
    """Sends all requests at once, as the library does it, and returns their results."""
    protocol, url = (
        (APNsDevelopmentClientProtocol, apple.sandbox)
        if use_sandbox
        else (APNsProductionClientProtocol, apple.production)
    )
    monkeypatch.setattr(protocol, "APNS_SERVER", "localhost")
    monkeypatch.setattr(protocol, "APNS_PORT", apple.port(url))

    async def run():
        client = APNs(
            key=key or apple.key, key_id=KEY_ID, team_id=TEAM_ID, topic=TOPIC, use_sandbox=use_sandbox,
            ssl_context=apple.ssl_context(), max_connections=1, max_connection_attempts=2,
        )
        first = await client.send_notification(requests[0])
        rest = await asyncio.gather(*(client.send_notification(request) for request in requests[1:]))
        client.pool.close()
        return [first, *rest]

    return asyncio.run(run())


def alert(**more):
    return NotificationRequest(
        **{"device_token": TOKEN, "message": ALERT, "push_type": PushType.ALERT, "priority": 10, **more}
    )


@pytest.mark.parametrize("use_sandbox", [False, True])
def test_pushes_are_accepted_and_recorded(apple, monkeypatch, use_sandbox):
    ids = [str(uuid.uuid4()) for _ in range(50)]
    requests = [alert(notification_id=id, collapse_key="c", time_to_live=3600) for id in ids]
    results = send(apple, monkeypatch, requests, use_sandbox=use_sandbox)
    assert [result.status for result in results] == ["200"] * 50
    assert [result.notification_id for result in results] == ids
    seen = apple.ask("/pushes?limit=100")["pushes"]
    assert sorted(push["apns_id"] for push in seen) == sorted(ids)
    assert {push["environment"] for push in seen} == {"sandbox" if use_sandbox else "production"}
    assert len(apple.ask(f"/devices/{TOKEN}/screen")["screen"]) == 1
    counters = apple.ask("/counters")
    assert counters["provider_tokens"] == 1
    assert counters["in_flight"] == 0


def test_a_background_push_wakes_the_app(apple, monkeypatch):
    request = NotificationRequest(
        device_token=TOKEN, message={"aps": {"content-available": 1}}, push_type=PushType.BACKGROUND, priority=5
    )
    assert send(apple, monkeypatch, [request])[0].is_successful
    device = apple.ask(f"/devices/{TOKEN}/screen")
    assert device["screen"] == [] and len(device["wakes"]) == 1


def test_refusals_arrive_with_their_reasons(apple, monkeypatch):
    apple.ask("/devices", "POST", {"token": "dead", "bundle_id": TOPIC, "state": "unregistered", "since_ms": 1700000000000})
    results = send(
        apple, monkeypatch,
        [
            alert(),
            alert(device_token="dead"),
            alert(device_token="xyz"),
            alert(apns_topic="org.example.other"),
            alert(collapse_key="c" * 65),
            alert(message={"aps": {"alert": "x" * 4096}}),
            alert(push_type=PushType.BACKGROUND),
        ],
    )
    assert [(result.status, result.description) for result in results[1:]] == [
        ("410", "Unregistered"),
        ("400", "BadDeviceToken"),
        ("400", "TopicDisallowed"),
        ("400", "BadCollapseId"),
        ("413", "PayloadTooLarge"),
        ("400", "BadPriority"),
    ]
    assert results[1].timestamp == 1700000000000


def test_a_key_that_apple_does_not_know_is_refused(apple, monkeypatch):
    from emulator import make_key

    result = send(apple, monkeypatch, [alert()], key=make_key())[0]
    assert (result.status, result.description) == ("403", "InvalidProviderToken")


def test_it_survives_a_goaway(apple, monkeypatch):
    goaway = {"kind": "goaway", "last_stream": "this"}
    apple.ask("/faults", "POST", {"match": {"token": "0c" * 32}, "when": {"first": 1}, "action": goaway})
    results = send(apple, monkeypatch, [alert(), alert(device_token="0c" * 32)])
    assert results[1].is_successful
    assert apple.ask("/counters")["goaways"] == 1
