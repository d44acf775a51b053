"""One journey through every operation, each answer checked against docs/openapi.yaml."""

import secrets

import pytest
import requests
import schemathesis

from server import CATEGORY, ROOT, TOPIC

schema = schemathesis.openapi.from_path(str(ROOT / "docs/openapi.yaml"))
seen = set()


class Client:
    def __init__(self, server, token=None, device=None):
        self.server = server
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        if device:
            self.headers["Reveille-Device"] = device

    def call(self, method, template, expected, parameters=None, query=None, json=None, headers=None):
        """Calls an operation; the answer must have the expected status and the described form."""
        path = template.format(**(parameters or {}))
        answer = requests.request(
            method, self.server.url + path, params=query, json=json, headers={**self.headers, **(headers or {})}, timeout=20)
        assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text}"
        schema[template][method].validate_response(answer)
        seen.add((method, template))
        return answer.json() if answer.content and "json" in answer.headers.get("Content-Type", "") else answer


def registration(**more):
    return {
        "device_id": "interop-" + secrets.token_hex(4), "apns_token": secrets.token_hex(32), "apns_environment": "sandbox",
        "apns_topic": TOPIC, "os": "ios", **more,
    }


def test_every_available_operation(server):
    anybody = Client(server)
    producer = Client(server, server.producer)
    admin = Client(server, server.admin)
    anybody.call("GET", "/healthz", 200)
    anybody.call("GET", "/readyz", 200)
    problem = anybody.call("GET", "/api/v1/problems/{code}", 200, {"code": "cursor_gone"})
    assert (problem["code"], problem["status"]) == ("cursor_gone", 410)
    anybody.call("GET", "/api/v1/problems/{code}", 404, {"code": "nothing"})
    assert "reveille_http_requests_total" in anybody.call("GET", "/metrics", 200).text

    minted = producer.call(
        "POST", "/api/v1/profiles/{profile_id}/tokens", 201, {"profile_id": "traveller"}, json={"label": "interop"})
    traveller = Client(server, minted["token"])
    assert not traveller.call("GET", "/api/v1/notifications/capability", 200)["apple_push"]["available"]

    device = traveller.call("POST", "/api/v1/devices/push/apple", 201, json=registration(name="Phone", categories=[CATEGORY]))
    display = Client(server, device["display_token"])
    start = display.call("GET", "/api/v1/notifications/sync", 200)
    assert start["reset"]
    key = {"Idempotency-Key": secrets.token_hex(16)}
    post = {"recipients": ["traveller"], "category": CATEGORY, "title": "T", "body": "B", "data": {"a": [1, None]}, "ttl": 600}
    accepted = producer.call("POST", "/api/v1/notifications", 202, json=post, headers=key)
    assert producer.call("POST", "/api/v1/notifications", 202, json=post, headers=key) == accepted
    assert producer.call(
        "POST", "/api/v1/notifications", 422, json={**post, "title": "U"}, headers=key)["code"] == "idempotency_key_reused"

    page = display.call("GET", "/api/v1/notifications/sync", 200, query={"since": start["cursor"]})
    assert [change["kind"] for change in page["changes"]] == ["new"]
    alias = page["changes"][0]["delivery_id"]
    assert alias != accepted["deliveries"][0]["delivery_id"]
    assert display.call("GET", "/api/v1/notifications/{delivery_id}", 200, {"delivery_id": alias})["title"] == "T"
    assert len(display.call("GET", "/api/v1/notifications", 200, query={"limit": 1})["notifications"]) == 1
    display.call("POST", "/api/v1/notifications/{delivery_id}/receipt", 204, {"delivery_id": alias})
    own = accepted["deliveries"][0]["delivery_id"]
    traveller.call("POST", "/api/v1/notifications/{delivery_id}/read", 204, {"delivery_id": own})
    assert traveller.call("POST", "/api/v1/notifications/read-all", 200, json={})["read"] == 0
    gone = traveller.call("GET", "/api/v1/notifications/sync", 410, query={"since": "nonsense"})
    assert gone["code"] == "cursor_gone"

    mine = {"id": device["id"]}
    changed = traveller.call("PATCH", "/api/v1/devices/push/{id}", 200, mine, json={"name": "Mine", "push_mode": "off"})
    assert changed["name"] == "Mine" and not changed["enabled"]
    traveller.call("POST", "/api/v1/devices/push/{id}/verify", 422, mine, json={"code": "000000"})
    assert len(traveller.call("GET", "/api/v1/devices/push", 200)["devices"]) == 1
    assert traveller.call("PUT", "/api/v1/preferences", 200, json={"push_mode": "in_app_only"})["push_mode"] == "in_app_only"
    assert traveller.call("GET", "/api/v1/preferences", 200)["push_mode"] == "in_app_only"

    others = {"app": registration()["apns_topic"]}
    # The receiver's keys of RFC 8291 section 5.
    keys = {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    }
    android = {**others, "device_id": "android", "fcm_token": "cAbC-_09:APA91b"}
    assert traveller.call("POST", "/api/v1/devices/push/android", 201, json=android)["state"] == "active"
    distributor = {**others, "device_id": "distributor", "subscription": {"endpoint": "https://ntfy.example.org/up1", "keys": keys}}
    assert traveller.call("POST", "/api/v1/devices/push/unifiedpush", 201, json=distributor)["state"] == "pending"
    browser = {**others, "device_id": "browser"}
    browser["subscription"] = {"endpoint": "https://updates.push.services.mozilla.com/wpush/v2/a", "keys": keys}
    assert traveller.call("POST", "/api/v1/devices/push/web", 201, json=browser)["state"] == "pending"

    admin.call("GET", "/api/v1/admin/lanes", 200)
    admin.call("POST", "/api/v1/admin/lanes/probe", 202)
    assert admin.call("GET", "/api/v1/admin/devices", 200, query={"limit": 100})["devices"]
    admin.call("POST", "/api/v1/admin/devices/{id}/enable", 204, mine)

    traveller.call("DELETE", "/api/v1/devices/push/{id}", 204, mine)
    display.call("GET", "/api/v1/notifications", 401)
    producer.call(
        "DELETE", "/api/v1/profiles/{profile_id}/tokens/{token_id}", 204,
        {"profile_id": "traveller", "token_id": minted["token_id"]})
    traveller.call("GET", "/api/v1/preferences", 401)

    described = {
        (operation.method.upper(), operation.path)
        for operation in (result.ok() for result in schema.exclude(tag="later").get_all_operations())
    }
    # A code can only be right for a kind of device that a later version registers; its refusal was seen above.
    assert seen == described


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_head_and_options(server, method):
    answer = requests.request(method, server.url + "/healthz", timeout=20)
    assert answer.status_code == (200 if method == "HEAD" else 204)
    assert not answer.content
    if method == "OPTIONS":
        assert {word.strip() for word in answer.headers["Allow"].split(",")} == {"GET", "HEAD", "OPTIONS"}


def test_methods_that_are_not_described_are_refused(server):
    paths = {}
    for operation in (result.ok() for result in schema.get_all_operations()):
        paths.setdefault(operation.path, set()).add(operation.method.upper())
    for path, described in paths.items():
        allowed = described | {"OPTIONS"} | ({"HEAD"} if "GET" in described else set())
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - allowed:
            answer = requests.request(method, server.url + path.replace("{", "").replace("}", ""), timeout=20)
            # A literal path may also fit another route's parameter; then that route's methods count.
            if answer.status_code == 401:
                continue
            assert answer.status_code == 405, f"{method} {path}: {answer.status_code}"
            assert {word.strip() for word in answer.headers["Allow"].split(",")} >= allowed


def test_a_body_beyond_the_limit_is_a_problem(server):
    answer = requests.post(
        server.url + "/api/v1/notifications", data=b"{" + b" " * 70_000 + b"}", timeout=20,
        headers={"Authorization": f"Bearer {server.producer}", "Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "body_too_large"
