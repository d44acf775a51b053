"""Drives the running server from docs/openapi.yaml with schemathesis: whatever the description allows is answered as it
says, whatever it forbids is refused, and nothing makes the server fail."""

import itertools
import os

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import CHECKS

from seed import SEED
from server import ROOT

SCALES = {"proof": 100, "soak": 1000}
EXAMPLES = SCALES.get(os.environ.get("REVEILLE_TEST_SCALE", ""), 25)
LATER = "later"

schema = schemathesis.openapi.from_path(str(ROOT / "docs/openapi.yaml"))
available = schema.exclude(tag=LATER)
# The same description again, whose requests nobody has seen before; what is the same in each run is left to the other.
unseen = schemathesis.openapi.from_path(str(ROOT / "docs/openapi.yaml"))
unseen.config.seed = SEED
unseen.config.phases.coverage.enabled = False
unseen.config.phases.examples.enabled = False
# A text may be as long as the description says and still be too long in octets, or name a topic that no app has: that is 400 or
# 422, and no mistake of the server. Authentication is refused route by route in the program's own tests.
LEFT_OUT = {"positive_data_acceptance", "ignored_auth"}
# TRACE, which the tool asks with otherwise, is 501 everywhere: the server knows it for no resource (RFC 9110 section 15.6.2).
schema.config.phases.coverage.unexpected_methods = {"get", "post", "put", "patch", "delete"}
turns = itertools.count()


def tokens(server, operation):
    """The tokens that the description names for an operation, another profile at each turn."""
    names = [name for option in operation.definition.raw.get("security", []) for name in option]
    if "profileToken" in names:
        return server.profiles[next(turns) % len(server.profiles)]
    return {"producerToken": server.producer, "adminToken": server.admin}.get(names[0] if names else "")


def checks():
    return [check for name, check in ((c.__name__, c) for c in CHECKS.get_all()) if name not in LEFT_OUT]


def call(server, case):
    token = tokens(server, case.operation)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    case.call_and_validate(base_url=server.url, headers=headers, checks=checks(), timeout=20)


@available.parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck), derandomize=True)
def test_every_operation_answers_as_described(server, case):
    call(server, case)


@unseen.exclude(tag=LATER).parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck), database=None)
def test_every_operation_answers_as_described_whatever_comes(server, case):
    call(server, case)


def later_operations():
    for result in schema.include(tag=LATER).get_all_operations():
        operation = result.ok()
        yield pytest.param(operation, id=f"{operation.method.upper()} {operation.path}")


@pytest.mark.parametrize("operation", list(later_operations()))
def test_later_operations_say_so(server, operation):
    import requests

    path = operation.path.replace("{delivery_id}", "A" * 26)
    token = tokens(server, operation)
    answer = requests.request(
        operation.method, server.url + path, headers={"Authorization": f"Bearer {token}"}, timeout=20)
    assert answer.status_code == 501
    assert answer.json()["code"] == "not_available_yet"
    operation.validate_response(answer)
