"""What the program may do, as its observer sees it; each function returns what it should not have done."""

import re

# Who has devices is not sealed (docs/privacy.md); everything else in the store is.
UNSEALED = {"profile", "producer", "label", "install"}


class Rules:
    def __init__(self, ports, folder, search):
        """`ports` are those of its settings, `folder` is where its store lives, `search` finds canaries in octets."""
        self.ports = ports
        self.folder = re.escape(str(folder))
        self.search = search

    def strange_connections(self, trace):
        # glibc asks the kernel for its addresses and the name service cache, and tries routes with datagram sockets that
        # send nothing.
        def is_expected(host, port, kind):
            if host in ("netlink", "/var/run/nscd/socket"):
                return True
            return host in ("127.0.0.1", "::1") and (port in self.ports or kind == "datagram") and not (
                kind == "datagram" and trace.written.get(f"connection to {(host, port)}") and port not in self.ports)

        return [address for address in trace.connected if not is_expected(*address)] + [
            kind for kind in trace.written if kind == "socket"]

    def strange_sinks(self, trace):
        ports = "|".join(map(str, self.ports))
        allowed = re.compile(
            r"client|standard output|standard error|pipe|eventfd2|netlink|"
            rf"connection to \('(127\.0\.0\.1|::1)', ({ports})\)|connection to \('(netlink|/var/run/nscd/socket)', 0\)|"
            rf"file {self.folder}/reveille\.db(-wal|-shm|-journal|\.slots/\d+)?")
        return [kind for kind in trace.written if not allowed.fullmatch(kind)]

    def strange_names(self, trace):
        allowed = re.compile(rf"{self.folder}(/reveille\.db(-wal|-shm|-journal|\.slots(/\d+)?)?)?|/dev/null")
        return [name for name in trace.names if not allowed.fullmatch(name)]

    def strange_programs(self, trace):
        """The first one is the program itself."""
        return trace.programs[1:]

    def leaks(self, trace):
        """Content that went anywhere but to a client, in octets or in names."""
        leaks = []
        for kind, octets in trace.written.items():
            if kind != "client":
                found = self.search(bytes(octets))
                leaks += [(kind, leak) for leak in (self.sealed(found) if kind.startswith("file ") else found)]
        for name in trace.names | trace.thread_names:
            leaks += [(name, leak) for leak in self.search(name.encode())]
        return leaks

    @staticmethod
    def sealed(found):
        """What is found in the store and should be sealed there."""
        return {(field, form) for field, form in found if field not in UNSEALED or form != "plain"}
