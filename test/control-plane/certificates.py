"""Keys and certificates of one control plane: its own authority, made anew with openssl at each
start.

Elliptic curve keys throughout: making a dozen RSA keys would take longer than starting the API
server.
"""

import pathlib
import subprocess

# Days; a control plane for tests lives for minutes, the quickstart's for as long as a user looks
# at it.
VALIDITY = "30"


class CertificateError(Exception):
    """openssl refused; the message holds what it said."""


def openssl(*arguments):
    try:
        subprocess.run(
            ["openssl", *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError as error:
        raise CertificateError("openssl is not installed (package openssl)") from error
    except subprocess.CalledProcessError as error:
        raise CertificateError(f"openssl {arguments[0]}: {error.stderr.strip()}") from error


class Authority:
    """A certificate authority in `directory` (ca.crt, ca.key) that signs for the components."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.certificate = self.directory / "ca.crt"
        self.key = self.directory / "ca.key"
        self.make_key(self.key)
        openssl(
            "req", "-x509", "-new", "-sha256", "-key", str(self.key), "-out", str(self.certificate),
            "-days", VALIDITY, "-subj", "/CN=sluice-test-ca",
            "-addext", "basicConstraints=critical,CA:TRUE",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature",
        )  # fmt: skip

    @staticmethod
    def make_key(path):
        openssl(
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(path)
        )
        path.chmod(0o600)

    def issue(self, name, common_name, organization=None, hosts=()):
        """Makes `name`.crt and `name`.key and returns the two paths; with hosts a certificate for
        servers too.
        """
        certificate, key = self.directory / f"{name}.crt", self.directory / f"{name}.key"
        request, extensions = self.directory / f"{name}.csr", self.directory / f"{name}.ext"
        subject = (f"/O={organization}" if organization else "") + f"/CN={common_name}"
        usage = "clientAuth" + (",serverAuth" if hosts else "")
        lines = ["keyUsage=critical,digitalSignature", f"extendedKeyUsage={usage}"]
        if hosts:
            lines.append("subjectAltName=" + ",".join(hosts))
        extensions.write_text("\n".join(lines) + "\n")
        self.make_key(key)
        openssl("req", "-new", "-sha256", "-key", str(key), "-subj", subject, "-out", str(request))
        openssl(
            "x509", "-req", "-sha256", "-days", VALIDITY,
            "-CA", str(self.certificate), "-CAkey", str(self.key), "-CAcreateserial",
            "-in", str(request), "-out", str(certificate), "-extfile", str(extensions),
        )  # fmt: skip
        request.unlink()
        extensions.unlink()
        return certificate, key

    def make_key_pair(self, name):
        """A bare key pair, as service account tokens are signed with: (public, private)."""
        private, public = self.directory / f"{name}.key", self.directory / f"{name}.pub"
        self.make_key(private)
        openssl("pkey", "-in", str(private), "-pubout", "-out", str(public))
        return public, private
