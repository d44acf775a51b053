"""Private texts that occur nowhere else, and a search for them in octets; shares no code with the program."""

import base64
import hashlib
import json
import quopri
import secrets
import string
import urllib.parse

ALPHABET = string.ascii_letters + string.digits
MARK_LETTERS = 16
HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")


class Canaries(dict):
    """A canary for each field; the mark is at both ends, and between them is what encoders change."""

    def __missing__(self, field):
        mark = "".join(secrets.choice(ALPHABET) for _ in range(MARK_LETTERS))
        self[field] = mark
        return mark

    def text(self, field):
        return f'{self[field]} "Zoë" </&\\ {self[field]}'


def inside(encode, octets, position, bits):
    """The characters of an encoded text that depend on these octets alone."""
    shifted = bytes(position) + octets
    return encode(shifted)[-(-position * 8 // bits):len(shifted) * 8 // bits]


def text_forms(mark):
    octets = mark.encode()
    yield "plain", octets
    yield "reversed", octets[::-1]
    yield "UTF-16", mark.encode("utf-16-le")
    yield "UTF-16BE", mark.encode("utf-16-be")
    yield "percent", "".join(f"%{octet:02X}" for octet in octets).encode()
    yield "JSON", "".join(f"\\u{octet:04x}" for octet in octets).encode()
    yield "quoted-printable", "".join(f"={octet:02X}" for octet in octets).encode()
    yield from octet_forms(octets)


def octet_forms(octets):
    yield "hexadecimal", octets.hex().encode()
    for position in range(3):
        yield f"base64 at {position}", inside(base64.b64encode, octets, position, 6)
        yield f"base64url at {position}", inside(base64.urlsafe_b64encode, octets, position, 6)
    for position in range(5):
        yield f"base32 at {position}", inside(base64.b32encode, octets, position, 5)


def needles(canaries):
    """Every form of every canary: (field, form, octets); texts of upper and lower case are searched for alike."""
    for field, mark in canaries.items():
        for form, octets in text_forms(mark):
            yield field, form, octets.lower() if "base64" not in form else octets
        for text in {mark, canaries.text(field), mark.lower(), canaries.text(field).lower()}:
            for name in HASHES:
                digest = hashlib.new(name, text.encode()).digest()[:8]
                yield field, name, digest
                for form, octets in octet_forms(digest):
                    yield field, f"{name}, {form}", octets.lower() if "base64" not in form else octets


def search(canaries, octets):
    """What is found, as (field, form)."""
    folded = octets.lower()
    found = set()
    for field, form, needle in needles(canaries):
        if needle in folded or needle in octets:
            found.add((field, form))
    return found


def encodings_for_test(mark):
    """Encodings made by the standard library, to test the search with."""
    text = f"left {mark} right"
    return {
        "plain": text, "upper": text.upper(), "json": json.dumps("é" + text),
        "base64": base64.b64encode(text.encode()).decode(), "base64url": base64.urlsafe_b64encode(b"ab" + text.encode()).decode(),
        "base32": base64.b32encode(text.encode()).decode(), "hex": text.encode().hex().upper(),
        "percent": urllib.parse.quote(text), "quoted-printable": quopri.encodestring(text.encode()).decode(),
        "sha256": hashlib.sha256(mark.encode()).hexdigest(), "md5": base64.b64encode(hashlib.md5(mark.encode()).digest()).decode(),
    }
