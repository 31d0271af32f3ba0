"""Certificates for tests: an authority, and what it signs."""

import ipaddress

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A certificate and its key, as files in PEM format."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates, and writes them into *folder*."""

    def __init__(self, folder: Path, name: str = "ca") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        builder = _builder(self._name, self._name, self._key.public_key())
        constraint = x509.BasicConstraints(ca=True, path_length=None)
        signed = builder.add_extension(constraint, critical=True).sign(
            self._key, hashes.SHA256()
        )
        self.file = folder / f"{name}.crt"
        self.file.write_bytes(signed.public_bytes(serialization.Encoding.PEM))

    def issue(self, name: str, *alternatives: str, password: bytes = b"") -> Pair:
        """Return a pair for *name*, good for *alternatives*: addresses or hosts."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_named(name), self._name, key.public_key())
        names = [_alternative(each) for each in alternatives or ("127.0.0.1",)]
        signed = builder.add_extension(
            x509.SubjectAlternativeName(names), critical=False
        ).sign(self._key, hashes.SHA256())
        pair = Pair(
            certificate=self._folder / f"{name}.crt", key=self._folder / f"{name}.key"
        )
        pair.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        encryption: serialization.KeySerializationEncryption = (
            serialization.BestAvailableEncryption(password)
            if password
            else serialization.NoEncryption()
        )
        pair.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                encryption,
            )
        )
        return pair


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _DAY)
        .not_valid_after(now + 30 * _DAY)
    )
