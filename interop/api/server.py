"""Starts the shipped program with an empty store on loopback, and makes tokens for it."""

import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import tempfile
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPIC = "org.example.app"
CATEGORY = "release"
START_SECONDS = 30
# One profile may register 60 times at once; many profiles keep the limits out of the way.
PROFILES = 40


class Server:
    def __init__(self, **settings):
        binary = os.environ.get("REVEILLE_BINARY") or str(ROOT / ".build/release/reveille")
        if not os.access(binary, os.X_OK):
            raise RuntimeError("REVEILLE_BINARY names no program; build it first")
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory(prefix="reveille-api-")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin"),
            "SWIFT_BACKTRACE": "enable=no",
            "REVEILLE_DATA": self.folder.name,
            "REVEILLE_MASTER_KEY": secrets.token_hex(32),
            "REVEILLE_LISTEN": f"127.0.0.1:{port}",
            "REVEILLE_APPS": TOPIC,
            "REVEILLE_VISIBLE_CATEGORIES": CATEGORY,
            "REVEILLE_APPLE_PUSH": "off",
            "REVEILLE_LOG_LEVEL": "warning",
            **settings,
        }
        self.log = open(os.path.join(self.folder.name, "server.log"), "w+b")
        self.process = subprocess.Popen(
            [binary, "serve"], env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self._wait()
        self.producer = self.command("producer", "create", "interop", "--json")["token"]
        self.admin = self.command("token", "create", "--admin", "--json")["token"]
        self.profiles = [self.mint(f"profile-{number}") for number in range(PROFILES)]

    def _wait(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError("the server ended at its start:\n" + self.output())
            try:
                if requests.get(self.url + "/readyz", timeout=2).status_code == 200:
                    return
            except requests.ConnectionError:
                pass
            time.sleep(0.05)
        raise RuntimeError("the server is not ready:\n" + self.output())

    def command(self, *arguments):
        done = subprocess.run(
            [self.binary, *arguments], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr.decode()}")
        return json.loads(done.stdout)

    def mint(self, profile):
        answer = requests.post(
            f"{self.url}/api/v1/profiles/{profile}/tokens", headers={"Authorization": f"Bearer {self.producer}"}, timeout=10)
        assert answer.status_code == 201, answer.text
        return answer.json()["token"]

    def output(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def stop(self):
        """Stops the server and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.log.close()
            self.folder.cleanup()
