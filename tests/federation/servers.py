"""Real TLS servers on loopback that answer byte for byte what a test wants, and an authority that vouches for them."""

from __future__ import annotations

import datetime
import re
import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Handler = Callable[[socket.socket, bytes], None]


class Authority:
    """A certificate authority of one test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        self.certificate = self._signed(self.name, self.key, None)
        self.count = 0

    def _signed(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, host: str | None) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        )
        if host is None:
            usage = x509.KeyUsage(True, False, False, False, False, True, True, False, False)
            builder = builder.add_extension(usage, critical=True)
        else:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        subject_key = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        authority_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = builder.add_extension(subject_key, critical=False).add_extension(authority_key, critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def files(self, host: str) -> tuple[Path, Path]:
        """Certificate and key of a host, as PEM files."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._signed(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)]), key, host)
        self.count += 1
        cert_file, key_file = self.folder / f"{self.count}.pem", self.folder / f"{self.count}.key"
        cert_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        plain = serialization.NoEncryption()
        key_file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain),
        )
        return cert_file, key_file

    def trusted(self) -> ssl.SSLContext:
        """What a client has that trusts this authority and no other."""
        pem = self.certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)


class RawServer:
    """Accepts connections, reads each request and hands it over."""

    def __init__(self, handler: Handler, tls: tuple[Path, Path] | None = None) -> None:
        self.handler = handler
        self.requests: list[bytes] = []
        self.names: list[str | None] = []  # of the server, as clients asked for it in TLS
        self.stopping = threading.Event()
        self.context: ssl.SSLContext | None = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*map(str, tls))
            self.context.sni_callback = lambda _socket, name, _context: self.names.append(name)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(0.1)
        self.port: int = self.listener.getsockname()[1]
        self.workers: list[threading.Thread] = []
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        while not self.stopping.is_set():
            try:
                connection, _ = self.listener.accept()
            except TimeoutError:
                continue
            worker = threading.Thread(target=self._one, args=(connection,))
            worker.start()
            self.workers.append(worker)

    def _one(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head:
                part = connection.recv(65_536)
                if not part:
                    return
                head += part
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            while length and len(head.partition(b"\r\n\r\n")[2]) < int(length[1]):
                head += connection.recv(65_536)
            self.requests.append(head)
            self.handler(connection, head)
        except OSError:
            pass  # the client left, which is what many of these tests want
        finally:
            connection.close()

    def close(self) -> None:
        self.stopping.set()
        self.thread.join()
        for worker in self.workers:
            worker.join()
        self.listener.close()


def answer(status: str = "200 OK", body: bytes = b"{}", **headers: str) -> Handler:
    """A handler that sends one whole answer."""
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)

    def handle(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body)

    return handle
