"""A stand-in for Apple made of other people's parts: the h2 library speaks HTTP/2, Python's ssl module TLS."""

import datetime
import ipaddress
import queue
import socket
import ssl
import threading

import h2.config
import h2.connection
import h2.events
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(folder):
    """A self-signed certificate for the loopback address; returns the files of certificate and key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]),
            critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "apple.pem", folder / "apple.key"
    certificate_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return certificate_file, key_file


class Apple:
    """Answers every request with 200 and puts its fields and body into `requests`."""

    def __init__(self, folder):
        self.certificate_file, key_file = certificate(folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate_file, key_file)
        self.context.set_alpn_protocols(["h2"])
        self.requests = queue.Queue()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                raw, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw):
        with self.context.wrap_socket(raw, server_side=True) as stream:
            connection = h2.connection.H2Connection(
                h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
            connection.initiate_connection()
            stream.sendall(connection.data_to_send())
            open_requests = {}
            while data := stream.recv(65_536):
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        open_requests[event.stream_id] = (dict(event.headers), bytearray())
                    elif isinstance(event, h2.events.DataReceived):
                        open_requests[event.stream_id][1].extend(event.data)
                        connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, h2.events.StreamEnded):
                        fields, body = open_requests.pop(event.stream_id)
                        connection.send_headers(
                            event.stream_id, [(":status", "200"), ("apns-id", fields["apns-id"])], end_stream=True)
                        self.requests.put((fields, bytes(body)))
                stream.sendall(connection.data_to_send())
