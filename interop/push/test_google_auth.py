"""google-auth, Google's own library, gets a token from the emulator with the key file that it wrote."""

import json

import pytest
import requests
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import Request
from google.oauth2 import service_account

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"


def session(emulators):
    made = requests.Session()
    made.verify = str(emulators.ca_file)
    made.trust_env = False
    return made


def credentials(emulators, scope=SCOPE):
    found = service_account.Credentials.from_service_account_file(str(emulators.account_file), scopes=[scope])
    found.refresh(Request(session=session(emulators)))
    return found


def send(emulators, token, message):
    project = json.loads(emulators.account_file.read_text())["project_id"]
    return session(emulators).post(
        f"{emulators.url('fcm')}/v1/projects/{project}/messages:send",
        headers={"authorization": f"Bearer {token}"}, json={"message": message}, timeout=10,
    )


def test_a_token_sends_a_message(emulators):
    token = credentials(emulators).token
    answer = send(emulators, token, {"token": "device", "data": {"v": "1"}, "android": {"ttl": "60s", "priority": "HIGH"}})
    assert answer.status_code == 200, answer.text
    (push,) = emulators.pushes("fcm")
    assert push["message_id"] == answer.json()["name"]
    assert push["message"]["data"] == {"v": "1"}
    assert emulators.ask("fcm", "/counters")["granted"] == 1


def test_a_token_that_nobody_gave_is_refused(emulators):
    assert send(emulators, "made-up", {"token": "device"}).status_code == 401


def test_another_scope_is_refused(emulators):
    with pytest.raises(RefreshError, match="invalid_scope"):
        credentials(emulators, "https://www.googleapis.com/auth/drive")


def test_a_foreign_key_is_refused(emulators, tmp_path):
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    account = json.loads(emulators.account_file.read_text())
    account["private_key"] = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    found = service_account.Credentials.from_service_account_info(account, scopes=[SCOPE])
    with pytest.raises(RefreshError, match="Invalid JWT Signature"):
        found.refresh(Request(session=session(emulators)))
