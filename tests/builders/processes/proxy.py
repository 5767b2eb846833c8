"""deploy/nginx.conf as a test or a rehearsal starts it."""

import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import settings

LOCALHOST = x509.DNSName("localhost")


def make_certificate(directory, name_on_it=LOCALHOST):
    """Write a self-signed certificate and its key, as `TLS_DIR` holds them."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([name_on_it]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (directory / "fullchain.pem").write_bytes(certificate.public_bytes(pem))
    (directory / "privkey.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def rendered(directory, *, ports=(8080, 8443), upstream="127.0.0.1:1"):
    """Return the file as the image's entrypoint writes it, with this machine's paths and ports."""
    text = (settings.BASE_DIR / "deploy" / "nginx.conf").read_text()
    for old, new in {
        "/tmp/": f"{directory}/",  # noqa: S108
        "${NGINX_LOCAL_RESOLVERS}": "127.0.0.11",
        "${REAL_IP_FROM}": "192.0.2.1",
        "/etc/nginx/tls": str(directory),
        "/dev/stdout": f"{directory}/access.log",
        "listen 8080": f"listen 127.0.0.1:{ports[0]}",
        "listen 8443": f"listen 127.0.0.1:{ports[1]}",
        "web:8000": upstream,
        "live:8000": upstream,
        "intake:8000": upstream,
        "worker_processes auto": "worker_processes 1",
    }.items():
        assert old in text
        text = text.replace(old, new)
    path = directory / "nginx.conf"
    path.write_text(text)
    make_certificate(directory)
    return path
