"""The seed of the requests that are new in each run; REVEILLE_TEST_SEED brings those of an earlier run again."""

import os
import secrets

SEED = int(os.environ.get("REVEILLE_TEST_SEED") or secrets.randbits(64))
EXPLANATION = f"requests of this run: REVEILLE_TEST_SEED={SEED}"
