"""h2load, a load generator, against the home server: HTTP/1.1 and HTTP/2, reading and posting."""

import json
import re
import subprocess

import pytest
import requests

from server import CATEGORY

READS = 20_000
POSTS = 2_000
CONNECTIONS = 8


def load(url, count, *options):
    command = ["h2load", "-n", str(count), "-c", str(CONNECTIONS), *options, url]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    print(re.search(r"finished in .*", output).group())
    assert f"{count} succeeded, 0 failed, 0 errored" in output, output
    assert f"status codes: {count} 2xx, 0 3xx, 0 4xx, 0 5xx" in output, output
    return output


@pytest.mark.parametrize("options", [["--h1"], ["-m", "1"], ["-m", "32"]], ids=["http1", "http2", "http2-streams"])
def test_every_read_of_a_load_is_answered(server, options):
    load(f"{server.url}/healthz", READS, *options)


def page(server, token, since=None):
    answer = requests.get(
        f"{server.url}/api/v1/notifications/sync", params={"limit": 100, "since": since},
        headers={"Authorization": f"Bearer {token}"}, timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("options", [["--h1"], ["-m", "16"]], ids=["http1", "http2"])
def test_every_post_of_a_load_is_kept(server, tmp_path, options):
    profile = f"load-{options[0].strip('-')}"
    token = server.mint(profile)
    last = page(server, token)
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"recipients": [profile], "category": CATEGORY, "title": "t", "body": "b"}))
    load(
        f"{server.url}/api/v1/notifications", POSTS, *options, "-d", str(body), "-H",
        f"authorization: Bearer {server.producer}", "-H", "content-type: application/json",
    )
    kept = []
    while True:
        last = page(server, token, last["cursor"])
        kept += [change["delivery_id"] for change in last["changes"] if change["kind"] == "new"]
        if not last["has_more"]:
            break
    assert len(kept) == len(set(kept)) == POSTS
