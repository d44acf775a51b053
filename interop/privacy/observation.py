"""Reads what strace saw: which descriptor is what, where it leads, and what was written to it."""

import re
from collections import defaultdict

# The calls through which octets, names or processes leave.
CALLS = (
    "network,write,writev,pwrite64,pwritev,pwritev2,sendfile,splice,openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,"
    "link,linkat,symlink,symlinkat,unlink,unlinkat,execve,execveat,fork,vfork,dup,dup2,dup3,close,pipe,pipe2,eventfd2,epoll_create1,"
    "memfd_create,prctl,fcntl"
)

CALL = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+=\s+(-?\d+|\?)(.*)$")
UNFINISHED = re.compile(r"^(\d+)\s+(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+)\s+<\.\.\. \w+ resumed>(.*)$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
ADDRESS = re.compile(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("((?:\\x[0-9a-f]{2})*)"\)')
ADDRESS6 = re.compile(r'sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "((?:\\x[0-9a-f]{2})*)"')
LOCAL = re.compile(r'AF_UNIX, sun_path=@?"((?:\\x[0-9a-f]{2})*)"')


def octets(text):
    return bytes.fromhex(text.replace("\\x", ""))


def lines(path):
    """Whole calls: those that another thread interrupted are put together again."""
    waiting = {}
    with open(path, encoding="utf-8", errors="replace") as trace:
        for line in trace:
            line = line.rstrip("\n")
            if match := UNFINISHED.match(line):
                waiting[match[1]] = match[2]
            elif match := RESUMED.match(line):
                yield f"{match[1]} {waiting.pop(match[1], '')}{match[2]}"
            else:
                yield line


def peer(arguments):
    for pattern in (ADDRESS, ADDRESS6):
        if match := pattern.search(arguments):
            return octets(match[2]).decode(), int(match[1])
    if match := LOCAL.search(arguments):
        return octets(match[1]).decode(errors="replace"), 0
    return ("netlink", 0) if "AF_NETLINK" in arguments else None


class Trace:
    """What one process did, in order."""

    def __init__(self, path):
        self.kinds = {0: "standard input", 1: "standard output", 2: "standard error"}
        self.written = defaultdict(bytearray)  # by what the descriptor is
        self.connected = set()
        self.datagrams = set()
        self.names = set()  # of files that were made, opened for writing, renamed or linked
        self.programs = []
        self.thread_names = set()
        self.unknown = []
        self.calls = 0
        for line in lines(path):
            if match := CALL.match(line):
                self.calls += 1
                self.see(match[2], match[3], int(match[4]) if match[4] != "?" else -1)

    def see(self, call, arguments, result):
        first = re.match(r"-?\d+", arguments)
        descriptor = int(first[0]) if first else -1
        if call == "socket" and result >= 0:
            self.kinds[result] = "netlink" if "AF_NETLINK" in arguments else "socket"
            if "SOCK_DGRAM" in arguments:
                self.datagrams.add(result)
        elif call == "connect":
            address = peer(arguments)
            if address:
                self.connected.add((*address, "datagram" if descriptor in self.datagrams else "stream"))
            self.kinds[descriptor] = f"connection to {address}"
        elif call in ("accept", "accept4") and result >= 0:
            self.kinds[result] = "client"
        elif call in ("openat", "open", "creat") and result >= 0:
            path = octets(TEXT.search(arguments)[1]).decode(errors="replace")
            writes = call == "creat" or re.search(r"O_WRONLY|O_RDWR|O_CREAT", arguments)
            self.kinds[result] = f"file {path}" if writes else f"read {path}"
            if writes:
                self.names.add(path)
        elif call in ("mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"):
            self.names.update(octets(text).decode(errors="replace") for text in TEXT.findall(arguments))
        elif call in ("eventfd2", "epoll_create1", "memfd_create") and result >= 0:
            self.kinds[result] = call
        elif call in ("pipe", "pipe2") and result == 0:
            for end in re.findall(r"\d+", arguments)[:2]:
                self.kinds[int(end)] = "pipe"
        elif call == "socketpair" and result == 0:
            for end in re.findall(r"\[(\d+), (\d+)\]", arguments)[0]:
                self.kinds[int(end)] = "pipe"
        elif call in ("dup", "dup2", "dup3") and result >= 0:
            self.kinds[result] = self.kinds.get(descriptor, "unknown")
        elif call == "fcntl" and "F_DUPFD" in arguments and result >= 0:
            self.kinds[result] = self.kinds.get(descriptor, "unknown")
        elif call in ("execve", "execveat", "fork", "vfork"):
            self.programs.append(arguments if call.startswith("exec") else call)
        elif call == "prctl" and "PR_SET_NAME" in arguments:
            self.thread_names.update(octets(text).decode(errors="replace") for text in TEXT.findall(arguments))
        elif call == "close" and result == 0:
            self.kinds.pop(descriptor, None)
            self.datagrams.discard(descriptor)
        elif call in ("write", "writev", "pwrite64", "pwritev", "pwritev2", "send", "sendto", "sendmsg", "sendmmsg"):
            self.wrote(call, descriptor, arguments, result)
        elif call in ("sendfile", "splice"):
            self.unknown.append(f"{call}({arguments})")

    def wrote(self, call, descriptor, arguments, result):
        kind = self.kinds.get(descriptor)
        if kind is None:
            self.unknown.append(f"{call} to {descriptor}, of which nothing is known")
            return
        if result <= 0:
            return
        if call in ("sendto", "sendmsg") and (address := peer(arguments)):
            self.connected.add((*address, "datagram"))
        data = b"".join(octets(text) for text in TEXT.findall(arguments))
        if call != "sendto" or not LOCAL.search(arguments):
            self.written[kind] += data
        if '"...' in arguments:
            self.unknown.append(f"{call} to {kind} was cut by the observer")
