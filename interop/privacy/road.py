"""The shipped server and the shipped emulator, with content in every request."""

import json
import os
import pathlib
import secrets
import signal
import subprocess
import time
import urllib.request

import requests
from canaries import Canaries
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from observation import CALLS

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAIT_SECONDS = 40
STOP_SECONDS = 20


def wait_for(condition, what, process=None):
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if process is not None and process.poll() is not None:
            raise RuntimeError(f"the process ended while the test waited for {what}")
        if found := condition():
            return found
        time.sleep(0.05)
    raise RuntimeError(f"waited in vain for {what}")


class Road:
    def __init__(self, folder, observed=True, environment=None):
        self.folder = folder
        self.canaries = Canaries()
        self.binary = os.environ.get("REVEILLE_BINARY") or str(ROOT / ".build/release/reveille")
        key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        self.key_file = folder / "AuthKey.p8"
        self.key_file.write_text(key)
        self.key_file.chmod(0o600)
        self.topic = "org.example.mail"
        self.emulator = subprocess.Popen(
            [self.binary, "emulate", "apns", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0",
             "--control", "127.0.0.1:0", "--ca-file", str(folder / "ca.pem"), "--topic", self.topic, "--json",
             "--team-id", "TEAMID6789", "--key-id", "KEYID12345", "--key-file", str(self.key_file)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        said = json.loads(self.emulator.stdout.readline())
        self.apple, self.control = said["production"], said["control"]
        self.sandbox = said["sandbox"]
        self.data = folder / "data"
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin"), "REVEILLE_DATA": str(self.data),
            "REVEILLE_MASTER_KEY": secrets.token_hex(32), "REVEILLE_LISTEN": "127.0.0.1:0",
            "REVEILLE_APPS": self.topic, "REVEILLE_VISIBLE_CATEGORIES": self.canaries["category"],
            "REVEILLE_APPLE_PUSH": "custom_apns", "REVEILLE_APNS_TEAM_ID": "TEAMID6789",
            "REVEILLE_APNS_KEY_ID": "KEYID12345", "REVEILLE_APNS_KEY_FILE": str(self.key_file),
            "REVEILLE_APNS_PRODUCTION_URL": self.apple, "REVEILLE_APNS_SANDBOX_URL": self.sandbox,
            "REVEILLE_APNS_CA_FILE": str(folder / "ca.pem"), "REVEILLE_LOG_LEVEL": "debug", **(environment or {}),
        }
        self.trace_file = folder / "trace"
        observer = ["strace", "-f", "-qq", "-xx", "-s", "1048576", "-e", f"trace={CALLS}", "-e", "signal=none",
                    "-o", str(self.trace_file)] if observed else []
        self.log_file = folder / "log"
        self.log = open(self.log_file, "wb")
        self.server = subprocess.Popen(
            [*observer, self.binary, "serve", "--json"], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        said = json.loads(self.server.stdout.readline())
        self.url, self.pid = said["url"], said["pid"]
        wait_for(lambda: requests.get(self.url + "/readyz", timeout=10).status_code == 200, "the server", self.server)
        self.producer = self.command("producer", "create", self.canaries["producer"], "--json")["token"]

    def command(self, *arguments):
        done = subprocess.run([self.binary, *arguments], env=self.environment, capture_output=True, timeout=60, check=True)
        return json.loads(done.stdout)

    def call(self, method, path, token, expected, body=None, headers=None):
        answer = requests.request(
            method, self.url + path, json=body, timeout=60,
            headers={"Authorization": f"Bearer {token}", "User-Agent": self.canaries["agent"], **(headers or {})})
        assert answer.status_code == expected, f"{method} {path}: {answer.status_code}, not {expected}"
        return answer.json() if answer.content else None

    def ask(self, path):
        with urllib.request.urlopen(self.control + path, timeout=30) as response:
            return json.loads(response.read())

    def register(self):
        profile = self.canaries["profile"]
        self.profile_token = self.call(
            "POST", f"/api/v1/profiles/{profile}/tokens", self.producer, 201, {"label": self.canaries["label"]})["token"]
        self.device_token = secrets.token_hex(32)
        self.device = self.call(
            "POST", "/api/v1/devices/push/apple", self.profile_token, 201, {
                "device_id": self.canaries["install"], "apns_token": self.device_token, "apns_environment": "production",
                "apns_topic": self.topic, "os": "ios", "name": self.canaries.text("device name")})

    def notification(self):
        text = self.canaries.text
        return {
            "recipients": [self.canaries["profile"]], "category": self.canaries["category"], "title": text("title"),
            "body": text("body"), "data": {self.canaries["data key"]: text("data")}, "series": text("series"),
        }

    def post(self):
        accepted = self.ask("/counters")["accepted"]
        self.call("POST", "/api/v1/notifications", self.producer, 202, self.notification(),
                  {"Idempotency-Key": self.canaries["key"]} if accepted == 0 else None)
        wait_for(lambda: self.ask("/counters")["accepted"] > accepted, "the push", self.server)

    def walk(self):
        """Registers, is woken, reads, and is refused; every request holds canaries."""
        self.register()
        self.post()
        self.post()
        display = self.device["display_token"]
        page = self.call("GET", "/api/v1/notifications/sync", display, 200)
        assert page["changes"][0]["notification"]["title"] == self.canaries.text("title"), "a send without a canary"
        self.call("GET", f"/api/v1/notifications?{self.canaries['query']}={self.canaries['query value']}", display, 400)
        self.call("GET", f"/api/v1/notifications/{self.canaries['path']}", display, 404)
        self.call("POST", "/api/v1/notifications", self.canaries["credential"], 401, self.notification())
        self.call("POST", "/api/v1/notifications", self.producer, 400,
                  {**self.notification(), self.canaries["field"]: self.canaries.text("field value")})
        self.call("POST", "/api/v1/mail/events", self.producer, 501, {
            "from": self.canaries.text("sender"), "subject": self.canaries.text("subject"),
            "folder": self.canaries.text("folder")})

    def stop(self):
        """Stops both; returns how the server ended."""
        if self.server.poll() is None:
            os.kill(self.pid, signal.SIGTERM)
        try:
            status = self.server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        self.end_emulator()
        return status

    def kill(self):
        for process in (self.pid, self.server.pid):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.wait()
        self.end_emulator()

    def end_emulator(self):
        self.log.close()
        self.emulator.kill()
        self.emulator.wait()
        self.emulator.stdout.close()
        self.server.stdout.close()
