"""Starts every emulator of the program at once, and talks to their control interfaces."""

import json
import os
import pathlib
import signal
import subprocess
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
STOP_SECONDS = 10


class Emulators:
    def __init__(self, folder):
        binary = os.environ.get("REVEILLE_BINARY") or str(ROOT / ".build/release/reveille")
        self.ca_file = folder / "ca.pem"
        self.account_file = folder / "account.json"
        self.process = subprocess.Popen(
            [
                binary, "emulate", "all", "--any-ports", "--ca-file", str(self.ca_file),
                "--service-account-file", str(self.account_file), "--json",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )
        self.said = json.loads(self.process.stdout.readline())

    def url(self, name):
        return self.said[name]["url"]

    def ask(self, name, path, method="GET", body=None):
        request = urllib.request.Request(
            self.said[name]["control"] + path, method=method, data=None if body is None else json.dumps(body).encode()
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.loads(response.read())

    def pushes(self, name):
        return self.ask(name, "/pushes")["pushes"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)
