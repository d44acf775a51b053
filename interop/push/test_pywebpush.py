"""pywebpush and py-vapid, senders in the field, against the emulated push services; http_ece opens what they encrypt."""

import base64

import http_ece
import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid
from pywebpush import WebPushException, webpush

CLAIMS = {"sub": "mailto:operator@example.org"}


def encoded(octets):
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def point(public_key):
    return public_key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


@pytest.fixture(scope="module")
def vapid():
    made = Vapid()
    made.generate_keys()
    return made


def send(emulators, subscription, vapid, text, **options):
    session = requests.Session()
    session.verify = str(emulators.ca_file)
    session.trust_env = False
    return webpush(
        {"endpoint": subscription["endpoint"], "keys": subscription["keys"]}, data=text, vapid_private_key=vapid,
        vapid_claims=dict(CLAIMS), ttl=60, requests_session=session, timeout=10, **options,
    )


@pytest.mark.parametrize("name", ["webpush", "unifiedpush"])
def test_a_push_is_taken_and_opened(emulators, vapid, name):
    subscription = emulators.ask(name, "/subscriptions", "POST", {"vapid_key": encoded(point(vapid.public_key))})
    answer = send(emulators, subscription, vapid, "Grüße", headers={"urgency": "high", "topic": "abc"})
    assert answer.status_code in (200, 201)
    shown = emulators.ask(name, "/subscriptions/" + subscription["id"])
    (delivery,) = shown["deliveries"]
    assert delivery["content"] == "Grüße"
    assert (delivery["urgency"], delivery["topic"], delivery["ttl"]) == ("high", "abc", 60)


def test_another_key_is_refused(emulators, vapid):
    other = Vapid()
    other.generate_keys()
    subscription = emulators.ask("webpush", "/subscriptions", "POST", {"vapid_key": encoded(point(other.public_key))})
    with pytest.raises(WebPushException) as refused:
        send(emulators, subscription, vapid, "x")
    assert refused.value.response.status_code == 401
    assert refused.value.response.json()["errno"] == 109


def test_http_ece_opens_what_a_user_agent_with_its_own_keys_gets(emulators, vapid):
    key = ec.generate_private_key(ec.SECP256R1())
    secret = bytes(range(16))
    subscription = emulators.ask(
        "webpush", "/subscriptions", "POST", {"p256dh": encoded(point(key.public_key())), "auth": encoded(secret)}
    )
    assert send(emulators, subscription, vapid, "only for you").status_code == 201
    (push,) = emulators.pushes("webpush")
    assert "content" not in push
    body = base64.b64decode(push["body_base64"])
    assert http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm") == b"only for you"


def test_what_is_gone_is_gone(emulators, vapid):
    subscription = emulators.ask("webpush", "/subscriptions", "POST", {"state": "gone"})
    with pytest.raises(WebPushException) as refused:
        send(emulators, subscription, vapid, "x")
    assert refused.value.response.status_code == 410
