"""Starts the shipped emulator of Apple's push service, and talks to its control interface."""

import json
import os
import pathlib
import signal
import ssl
import subprocess
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEAM_ID = "TEAMID6789"
KEY_ID = "KEYID12345"
TOPIC = "org.example.mail"
STOP_SECONDS = 10


def make_key():
    """A new key in the form of Apple's .p8 files."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


class Emulator:
    def __init__(self, folder, *options):
        binary = os.environ.get("REVEILLE_BINARY") or str(ROOT / ".build/release/reveille")
        self.key = make_key()
        self.key_file = folder / f"AuthKey_{KEY_ID}.p8"
        self.key_file.write_text(self.key)
        self.key_file.chmod(0o600)
        self.ca_file = folder / "ca.pem"
        self.process = subprocess.Popen(
            [
                binary, "emulate", "apns", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0",
                "--control", "127.0.0.1:0", "--ca-file", str(self.ca_file), "--topic", TOPIC, "--json",
                "--team-id", TEAM_ID, "--key-id", KEY_ID, "--key-file", str(self.key_file), *options,
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )
        said = json.loads(self.process.stdout.readline())
        self.production, self.sandbox, self.control = said["production"], said["sandbox"], said["control"]

    def port(self, url):
        return urllib.parse.urlsplit(url).port

    def ssl_context(self):
        return ssl.create_default_context(cafile=str(self.ca_file))

    def ask(self, path, method="GET", body=None):
        request = urllib.request.Request(
            self.control + path, method=method, data=None if body is None else json.dumps(body).encode()
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.loads(response.read())

    def reset(self):
        self.ask("/reset", "POST", {})

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        finally:
            self.process.kill()
            self.process.stdout.close()
