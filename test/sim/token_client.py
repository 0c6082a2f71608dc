"""The client of the real control plane's tests, as the holder of a token: `sluice dev` has no
client certificates.
"""

import base64
import http.client
import json
import ssl
import threading
import urllib.parse

from api_client import ApiClient


class TokenConnection(http.client.HTTPSConnection):
    token = ""

    def request(self, method, url, body=None, headers=None, **options):
        headers = (headers or {}) | {"Authorization": f"Bearer {self.token}"}
        super().request(method, url, body=body, headers=headers, **options)


class TokenClient(ApiClient):
    def __init__(self, host, port, authority, token, timeout=30.0):
        self.host, self.port, self.timeout, self.token = host, port, timeout, token
        self.tls = ssl.create_default_context(cadata=authority)
        self.local = threading.local()

    def connect(self, timeout):
        made = TokenConnection(self.host, self.port, timeout=timeout, context=self.tls)
        made.token = self.token
        return made


def connect(kubeconfig):
    """A client by the kubeconfig that `sluice dev` writes, which is JSON."""
    config = json.loads(kubeconfig.read_text())
    cluster = config["clusters"][0]["cluster"]
    server = urllib.parse.urlsplit(cluster["server"])
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    return TokenClient(
        server.hostname, server.port, authority, config["users"][0]["user"]["token"]
    )
