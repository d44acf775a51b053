"""PyJWT, h2 and Python's TLS judge what the sender says to Apple."""

import json
import time

import jwt
import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from apple import Apple
from server import CATEGORY, TOPIC, Server

TEAM_ID = "TEAMID6789"
KEY_ID = "KEYID12345"
DEVICE_TOKEN = "7b274e01b7610268ddcb0bd5b1c3f2b9ff8579ffcb40bddd15eefaf419ec0f96"
WAKES = 5


@pytest.fixture(scope="module")
def key():
    return ec.generate_private_key(ec.SECP256R1())


@pytest.fixture(scope="module")
def seen(key, tmp_path_factory):
    """The requests of one device's wakes, as a foreign HTTP/2 server read them."""
    folder = tmp_path_factory.mktemp("apple")
    key_file = folder / f"AuthKey_{KEY_ID}.p8"
    key_file.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    key_file.chmod(0o600)
    apple = Apple(folder)
    server = Server(
        REVEILLE_APPLE_PUSH="custom_apns", REVEILLE_APNS_TEAM_ID=TEAM_ID, REVEILLE_APNS_KEY_ID=KEY_ID,
        REVEILLE_APNS_KEY_FILE=str(key_file), REVEILLE_APNS_PRODUCTION_URL=apple.url,
        REVEILLE_APNS_SANDBOX_URL=apple.url, REVEILLE_APNS_CA_FILE=str(apple.certificate_file))
    try:
        registration = requests.post(
            server.url + "/api/v1/devices/push/apple", headers={"Authorization": f"Bearer {server.profiles[0]}"},
            json={
                "device_id": "phone", "apns_token": DEVICE_TOKEN, "apns_environment": "production",
                "apns_topic": TOPIC, "os": "ios",
            }, timeout=10)
        assert registration.status_code in (200, 201), registration.text
        found = []
        for number in range(WAKES):
            posted = requests.post(
                server.url + "/api/v1/notifications", headers={"Authorization": f"Bearer {server.producer}"},
                json={"recipients": ["profile-0"], "category": CATEGORY, "title": f"t{number}", "body": "b"}, timeout=10)
            assert posted.status_code == 202, posted.text
            found.append(apple.requests.get(timeout=20))
        yield found
    finally:
        server.stop()
        apple.stop()


def test_the_provider_token_verifies_and_says_nothing_more(seen, key):
    fields, _ = seen[0]
    scheme, token = fields["authorization"].split(" ")
    assert scheme == "bearer"
    assert jwt.get_unverified_header(token) == {"alg": "ES256", "kid": KEY_ID}
    claims = jwt.decode(token, key.public_key(), algorithms=["ES256"], options={"require": ["iss", "iat"]})
    assert set(claims) == {"iss", "iat"} and claims["iss"] == TEAM_ID
    assert abs(claims["iat"] - time.time()) < 60


def test_a_foreign_key_does_not_verify_it(seen):
    token = seen[0][0]["authorization"].split(" ")[1]
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(token, ec.generate_private_key(ec.SECP256R1()).public_key(), algorithms=["ES256"])


def test_one_token_serves_all_wakes(seen):
    assert len({fields["authorization"] for fields, _ in seen}) == 1


def test_a_foreign_reader_finds_the_request_that_apple_documents(seen):
    for fields, body in seen:
        assert (fields[":method"], fields[":path"]) == ("POST", f"/3/device/{DEVICE_TOKEN}")
        assert (fields["apns-topic"], fields["apns-push-type"], fields["apns-priority"]) == (TOPIC, "alert", "10")
        payload = json.loads(body)
        assert payload["aps"]["mutable-content"] == 1
        assert set(payload) == {"aps", "reveille"}
    assert len({fields["apns-id"] for fields, _ in seen}) == WAKES
