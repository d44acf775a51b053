"""httpx with HTTP/2, and tokens made by PyJWT, against the emulator."""

import base64
import json
import time
import uuid

import httpx
import jwt
import pytest

from emulator import KEY_ID, TEAM_ID, TOPIC, make_key

TOKEN = "cd" * 32
ALERT = b'{"aps":{"alert":"hi"}}'


def provider_token(key, headers=None, **claims):
    return jwt.encode(
        {"iss": TEAM_ID, "iat": int(time.time()), **claims}, key, algorithm="ES256",
        headers={"kid": KEY_ID, **(headers or {})},
    )


def headers(token, **more):
    fields = {
        "authorization": f"bearer {token}", "apns-topic": TOPIC, "apns-push-type": "alert", "apns-priority": "10",
    }
    fields.update({name.replace("_", "-"): value for name, value in more.items()})
    return {name: value for name, value in fields.items() if value is not None}


@pytest.fixture
def client(apple):
    with httpx.Client(http2=True, verify=apple.ssl_context(), base_url=apple.production, timeout=10) as client:
        yield client


def push(client, token, content=ALERT, path=f"/3/device/{TOKEN}", method="POST", **more):
    return client.request(method, path, content=content, headers=headers(token, **more))


def test_a_token_made_by_pyjwt_is_accepted(apple, client):
    id = str(uuid.uuid4())
    response = push(client, provider_token(apple.key), apns_id=id, apns_collapse_id="c")
    assert response.http_version == "HTTP/2"
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["apns-id"] == id
    assert "apns-unique-id" not in response.headers
    (seen,) = apple.ask("/seen")["requests"]
    assert base64.b64decode(seen["body_base64"]) == ALERT
    assert ["apns-collapse-id", "c"] in seen["headers"]
    assert [":path", f"/3/device/{TOKEN}"] in seen["headers"]


def test_the_sandbox_answers_with_a_unique_id(apple):
    with httpx.Client(http2=True, verify=apple.ssl_context(), base_url=apple.sandbox, timeout=10) as client:
        response = push(client, provider_token(apple.key))
    assert uuid.UUID(response.headers["apns-unique-id"])


def tampered(token, part):
    parts = token.split(".")
    raw = bytearray(base64.urlsafe_b64decode(parts[part] + "=" * (-len(parts[part]) % 4)))
    raw[len(raw) // 2] ^= 1
    parts[part] = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return ".".join(parts)


@pytest.mark.parametrize("part", [0, 1, 2], ids=["header", "claims", "signature"])
def test_a_tampered_token_is_refused(apple, client, part):
    response = push(client, tampered(provider_token(apple.key), part))
    assert (response.status_code, response.json()) == (403, {"reason": "InvalidProviderToken"})


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda key: provider_token(make_key()), "InvalidProviderToken"),
        (lambda key: provider_token(key, {"kid": "OTHERKEY12"}), "InvalidProviderToken"),
        (lambda key: provider_token(key, iss="OTHERTEAM1"), "InvalidProviderToken"),
        (lambda key: provider_token(key, iat=int(time.time()) - 3700), "ExpiredProviderToken"),
        (lambda key: provider_token(key, iat=int(time.time()) + 600), "InvalidProviderToken"),
        (lambda key: jwt.encode({"iss": TEAM_ID}, key, algorithm="ES256", headers={"kid": KEY_ID}),
         "InvalidProviderToken"),
        (lambda key: jwt.encode({"iss": TEAM_ID, "iat": int(time.time())}, "x" * 32, algorithm="HS256",
                                headers={"kid": KEY_ID}), "InvalidProviderToken"),
        (lambda key: jwt.encode({"iss": TEAM_ID, "iat": int(time.time())}, None, algorithm="none",
                                headers={"kid": KEY_ID}), "InvalidProviderToken"),
    ],
    ids=["another key", "another kid", "another team", "too old", "too early", "no time", "HS256", "none"],
)
def test_a_wrong_token_is_refused(apple, client, make, reason):
    response = push(client, make(apple.key))
    assert (response.status_code, response.json()) == (403, {"reason": reason})


@pytest.mark.parametrize(
    "change, status, reason",
    [
        ({"method": "GET", "content": b""}, 405, "MethodNotAllowed"),
        ({"path": "/"}, 404, "BadPath"),
        ({"path": "/3/device/"}, 400, "MissingDeviceToken"),
        ({"apns_topic": None}, 400, "MissingTopic"),
        ({"apns_push_type": "shout"}, 400, "InvalidPushType"),
        ({"apns_priority": "11"}, 400, "BadPriority"),
        ({"apns_expiration": "soon"}, 400, "BadExpirationDate"),
        ({"apns_id": "1"}, 400, "BadMessageId"),
        ({"content": b""}, 400, "PayloadEmpty"),
        ({"content": json.dumps({"aps": {"alert": "x" * 4096}}).encode()}, 413, "PayloadTooLarge"),
    ],
)
def test_a_spoilt_request_is_refused(apple, client, change, status, reason):
    response = push(client, provider_token(apple.key), **change)
    assert (response.status_code, response.json()) == (status, {"reason": reason})
    assert uuid.UUID(response.headers["apns-id"])


def test_a_scripted_answer_arrives_whole(apple, client):
    answer = {"kind": "answer", "reason": "TooManyRequests", "retry_after": 30}
    apple.ask("/faults", "POST", {"when": {"first": 1}, "action": answer})
    response = push(client, provider_token(apple.key))
    assert (response.status_code, response.headers["retry-after"]) == (429, "30")


def test_an_http1_sender_gets_nowhere(apple):
    with httpx.Client(http2=False, verify=apple.ssl_context(), base_url=apple.production, timeout=10) as client:
        with pytest.raises(httpx.HTTPError):
            push(client, provider_token(apple.key))
