"""h2load, a load generator, against the emulator."""

import re
import subprocess
import time

import jwt

from emulator import KEY_ID, TEAM_ID, TOPIC

TOKEN = "ef" * 32
COUNT = 20_000
CONNECTIONS = 4


def test_every_request_of_a_load_is_answered_and_counted(apple, tmp_path):
    body = tmp_path / "body.json"
    body.write_text('{"aps":{"alert":{"loc-key":"B"},"mutable-content":1}}')
    token = jwt.encode(
        {"iss": TEAM_ID, "iat": int(time.time())}, apple.key, algorithm="ES256", headers={"kid": KEY_ID}
    )
    fields = {
        "authorization": f"bearer {token}", "apns-topic": TOPIC, "apns-push-type": "alert", "apns-priority": "10",
        "apns-collapse-id": "c",
    }
    command = ["h2load", "-n", str(COUNT), "-c", str(CONNECTIONS), "-m", "1", "-d", str(body)]
    for name, value in fields.items():
        command += ["-H", f"{name}: {value}"]
    command.append(f"https://127.0.0.1:{apple.port(apple.production)}/3/device/{TOKEN}")
    # One stream at a time: h2load opens streams before it has seen the limit, and those are refused, as Apple would.
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    print(re.search(r"finished in .*", output).group())
    assert f"{COUNT} succeeded, 0 failed, 0 errored" in output
    assert f"status codes: {COUNT} 2xx, 0 3xx, 0 4xx, 0 5xx" in output
    counters = apple.ask("/counters")
    assert (counters["received"], counters["accepted"], counters["in_flight"]) == (COUNT, COUNT, 0)
    assert counters["provider_tokens"] == 1
