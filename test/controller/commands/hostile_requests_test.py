"""Requests and connections that mean no good, to `sluice dev --server-only`, over TLS:

    hostile_requests_test.py SLUICE
    hostile_requests_test.py --kubeconfig FILE     the same requests to another API server
"""

import base64
import http.client
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PATIENCE = 60
MAPS = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
JSON = "application/json"
NAMED = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}%s}'
MEMORY_GROWTH_MAX = 700  # MB; what may be in flight is 512

# What is sent, and the status and reason of the real answer (1.36).
REQUESTS = [
    ("no JSON", "POST", MAPS, JSON, "{", 400, "BadRequest"),
    ("an empty body", "POST", MAPS, JSON, "", 400, "BadRequest"),
    ("a body that is cut", "POST", MAPS, JSON, NAMED[:40], 400, "BadRequest"),
    ("bytes that are no UTF-8", "POST", MAPS, JSON, b'{"a":"\xff\xfe"', 400, "BadRequest"),
    ("a list", "POST", MAPS, JSON, "[]", 400, "BadRequest"),
    ("another kind", "POST", MAPS, JSON, '{"apiVersion":"v1","kind":"Pod"}', 400, "BadRequest"),
    ("a kind that nobody knows", "POST", MAPS, JSON,
     '{"apiVersion":"example.com/v7","kind":"Fly","metadata":{"name":"x"}}', 400, "BadRequest"),
    ("deep nesting", "POST", MAPS, JSON, "[" * 200000, 400, "BadRequest"),
    ("deep nesting that ends", "POST", MAPS, JSON, '{"a":' * 20000 + "1" + "}" * 20000,
     400, "BadRequest"),
    ("deep YAML", "PATCH", MAPS + "/x?fieldManager=m", APPLY, "[" * 20000, 400, "BadRequest"),
    ("an unknown media type", "POST", MAPS, "text/plain", "hello", 415, "UnsupportedMediaType"),
    ("protobuf that is none", "POST", MAPS, "application/vnd.kubernetes.protobuf", "hello",
     400, "BadRequest"),
    ("a resource that is not there", "GET", "/api/v1/namespaces/default/flies", JSON, "",
     404, "NotFound"),
    ("a group that is not there", "GET", "/apis/example.com/v1/flies", JSON, "", 404, None),
    ("a name that is no name", "POST", MAPS, JSON, NAMED % ("Not_A_Name", ""), 422, "Invalid"),
    ("a name that climbs", "GET", MAPS + "/..%2f..%2fetc", JSON, "", 404, "NotFound"),
    ("a verb that does not exist", "BREW", MAPS, JSON, "", 405, "MethodNotAllowed"),
    ("POST to an object", "POST", MAPS + "/base", JSON, NAMED % ("base", ""),
     405, "MethodNotAllowed"),
    ("PUT to a list", "PUT", MAPS, JSON, NAMED % ("base", ""), 405, "MethodNotAllowed"),
    ("PATCH of a list", "PATCH", MAPS, MERGE, "{}", 405, "MethodNotAllowed"),
    ("a bad label selector", "GET", MAPS + "?labelSelector=a+in+(", JSON, "", 400, "BadRequest"),
    ("a bad field selector", "GET", MAPS + "?fieldSelector=spec.x%3D1", JSON, "",
     400, "BadRequest"),
    ("a bad limit", "GET", MAPS + "?limit=many", JSON, "", 400, "BadRequest"),
    ("a bad continue token", "GET", MAPS + "?limit=1&continue=x", JSON, "", 400, "BadRequest"),
    ("a bad resourceVersion", "GET", MAPS + "?resourceVersion=x", JSON, "", 400, "BadRequest"),
    ("a bad watch version", "GET", MAPS + "?watch=true&resourceVersion=x", JSON, "", 500, None),
    ("a bad timeout", "GET", MAPS + "?watch=true&timeoutSeconds=x", JSON, "", 400, "BadRequest"),
    ("a merge patch that is none", "PATCH", MAPS + "/base", MERGE, "[1]", 400, "BadRequest"),
    ("a merge patch of another type", "PATCH", MAPS + "/base", MERGE, '{"metadata":7}',
     422, "Invalid"),
    ("a JSON patch that is none", "PATCH", MAPS + "/base", JSON_PATCH, "{}", 400, "BadRequest"),
    ("a JSON patch without a place", "PATCH", MAPS + "/base", JSON_PATCH,
     '[{"op":"remove","path":"/data/nothing"}]', 422, "Invalid"),
    ("a JSON patch of an unknown kind", "PATCH", MAPS + "/base", JSON_PATCH,
     '[{"op":"explode","path":"/data"}]', 422, "Invalid"),
    ("a JSON patch that tests in vain", "PATCH", MAPS + "/base", JSON_PATCH,
     '[{"op":"test","path":"/kind","value":"Pod"}]', 422, "Invalid"),
    ("a JSON patch of too many operations", "PATCH", MAPS + "/base", JSON_PATCH,
     json.dumps([{"op": "add", "path": "/data/a", "value": "b"}] * 10001),
     413, "RequestEntityTooLarge"),
    ("a strategic patch that is none", "PATCH", MAPS + "/base", STRATEGIC, '"x"',
     400, "BadRequest"),
    ("a strategic patch with a bad directive", "PATCH", MAPS + "/base", STRATEGIC,
     '{"metadata":{"$patch":"explode"}}', 500, None),
    ("apply without a manager", "PATCH", MAPS + "/base", APPLY, NAMED % ("base", ""),
     422, "Invalid"),
    ("apply of a field that is not there", "PATCH", MAPS + "/base?fieldManager=m", APPLY,
     NAMED % ("base", ',"spec":{}'), 500, None),
    ("a patch of no type", "PATCH", MAPS + "/base", "text/plain", "{}", 415,
     "UnsupportedMediaType"),
    ("bad delete options", "DELETE", MAPS + "/nothing", JSON, '{"gracePeriodSeconds":"x"}',
     400, "BadRequest"),
    ("a propagation policy that is none", "DELETE", MAPS + "/base", JSON,
     '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Never"}', 422, "Invalid"),
    ("a version that is none", "PUT", MAPS + "/base", JSON,
     NAMED.replace('"%s"', '"base","resourceVersion":"x"') % "", 500, None),
    ("a name that is not that of the path", "PUT", MAPS + "/base", JSON, NAMED % ("other", ""),
     400, "BadRequest"),
    ("another namespace", "POST", MAPS, JSON,
     NAMED.replace('"%s"', '"x","namespace":"kube-system"') % "", 400, "BadRequest"),
    ("a large object", "POST", MAPS, JSON,
     NAMED % ("large", ',"data":{"a":"%s"}' % ("x" * (1 << 20) + "x")), 422, "Invalid"),
    ("a body above the limit", "POST", MAPS, JSON,
     NAMED % ("huge", ',"data":{"a":"%s"}' % ("x" * (4 << 20))), 413, "RequestEntityTooLarge"),
]


class Api:
    """The server of a kubeconfig."""

    def __init__(self, path):
        text = pathlib.Path(path).read_text(encoding="utf-8")
        config = json.loads(text)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        host, port = cluster["server"].removeprefix("https://").split(":")
        self.address = (host, int(port))
        self.context = ssl.create_default_context()
        if "certificate-authority" in cluster:
            self.context.load_verify_locations(cluster["certificate-authority"])
        else:
            data = base64.b64decode(cluster["certificate-authority-data"]).decode()
            self.context.load_verify_locations(cadata=data)
        if "client-certificate-data" in user:
            with tempfile.NamedTemporaryFile() as pair:
                for part in ("client-certificate-data", "client-key-data"):
                    pair.write(base64.b64decode(user[part]) + b"\n")
                pair.flush()
                self.context.load_cert_chain(pair.name)
        self.headers = {"Authorization": "Bearer " + user["token"]} if "token" in user else {}

    def connection(self):
        return http.client.HTTPSConnection(
            *self.address, context=self.context, timeout=PATIENCE
        )

    def ask(self, method, path, media_type=JSON, body=None, headers=None):
        """Status and decoded body of the answer."""
        connection = self.connection()
        try:
            if isinstance(body, str):
                body = body.encode()
            try:
                connection.request(
                    method, path, body=body,
                    headers=self.headers | {"Content-Type": media_type} | (headers or {}),
                )
                answer = connection.getresponse()
            except OSError as error:  # it has answered before all was sent
                return None, str(error)
            text = answer.read()
            try:
                return answer.status, json.loads(text)
            except ValueError:
                return answer.status, text.decode(errors="replace")
        finally:
            connection.close()

    def raw(self, data, seconds=PATIENCE):
        """What comes back to these bytes until the server closes or falls silent."""
        with socket.create_connection(self.address, timeout=seconds) as plain:
            with self.context.wrap_socket(plain, server_hostname=self.address[0]) as tls:
                tls.sendall(data)
                received = b""
                try:
                    while piece := tls.recv(65536):
                        received += piece
                except (TimeoutError, ConnectionError, ssl.SSLError):
                    pass
                return received

    def head(self, method, path, *lines):
        all_lines = [f"{method} {path} HTTP/1.1", "Host: x"]
        all_lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return ("\r\n".join([*all_lines, *lines]) + "\r\n\r\n").encode()


def status_of(answer):
    return answer.get("reason") if isinstance(answer, dict) else None


class Hostile(unittest.TestCase):
    api = None
    process = None

    @classmethod
    def setUpClass(cls):
        cls.api.ask("POST", MAPS, body=NAMED % ("base", ',"data":{"k":"v"}'))

    def memory(self):
        """The largest resident size yet, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) // 1024
        raise AssertionError("no VmHWM")

    def check_alive(self):
        begun = time.monotonic()
        code, answer = self.api.ask("GET", MAPS + "/base")
        self.assertEqual((code, answer["data"]), (200, {"k": "v"}))
        return time.monotonic() - begun

    def test_requests_get_the_answers_of_a_real_server(self):
        for name, method, path, media_type, body, code, reason in REQUESTS:
            with self.subTest(name):
                got, answer = self.api.ask(method, path, media_type, body)
                told = json.dumps(answer)[:600]
                self.assertEqual(got, code, told)
                if reason is not None:
                    self.assertEqual(status_of(answer), reason, told)
        self.check_alive()

    def test_nobody_comes_in_without_a_token(self):
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic eDp4"}):
            connection = self.api.connection()
            connection.request("GET", MAPS, headers=headers)
            answer = connection.getresponse()
            body = json.loads(answer.read())
            connection.close()
            self.assertEqual((answer.status, body["reason"]), (401, "Unauthorized"))

    def test_what_is_no_HTTP_is_refused(self):
        for data in (
            b"\x00" * 1000,
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            self.api.head("GET", "/", "Content-Length: -1"),
            self.api.head("GET", "/", "Content-Length: 1", "Content-Length: 2"),
            self.api.head("POST", MAPS, "Content-Length: 5", "Transfer-Encoding: chunked"),
            self.api.head("POST", MAPS, "Transfer-Encoding: chunked") + b"zz\r\n",
            self.api.head("GET", "/", *[f"X-{i}: {'y' * 1000}" for i in range(2000)]),
            self.api.head("GET", "/" + "a" * 2_000_000),
        ):
            with self.subTest(data[:60]):
                try:
                    answer = self.api.raw(data)
                except (ConnectionError, ssl.SSLError):
                    answer = b""
                self.assertTrue(
                    answer == b"" or answer.split(b" ")[1][:1] in (b"4", b"5"), answer[:200]
                )
        self.check_alive()

    def test_what_is_no_TLS_is_refused(self):
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\x00" * 1000, b"\x80"):
            with socket.create_connection(self.api.address, timeout=PATIENCE) as plain:
                plain.sendall(data)
                plain.settimeout(PATIENCE)
                try:
                    plain.shutdown(socket.SHUT_WR)
                    while plain.recv(65536):
                        pass
                except OSError:
                    pass
        self.check_alive()

    def test_a_body_of_100_MB_is_refused_and_not_kept(self):
        before = self.memory()
        size = 100 << 20
        # With its length, in chunks, and as one line of a chunk's size that never ends.
        for lines, chunk in (
            (f"Content-Length: {size}", b""),
            ("Transfer-Encoding: chunked", b"10000\r\n"),
            ("Transfer-Encoding: chunked", b""),
        ):
            with self.subTest(lines):
                plain = socket.create_connection(self.api.address, timeout=PATIENCE)
                tls = self.api.context.wrap_socket(plain, server_hostname=self.api.address[0])
                tls.sendall(self.api.head("POST", MAPS, "Content-Type: " + JSON, lines))
                piece = b"x" * 65536
                if chunk:
                    piece = chunk + piece + b"\r\n"
                sent = 0
                try:
                    while sent < size:
                        tls.sendall(piece)
                        sent += 65536
                except OSError:
                    pass  # closed meanwhile
                received = b""
                try:
                    while part := tls.recv(65536):
                        received += part
                except OSError:
                    pass
                tls.close()
                wanted = b"HTTP/1.1 413" if chunk or "Length" in lines else b"HTTP/1.1 400"
                self.assertTrue(received == b"" or received.startswith(wanted), received[:200])
        self.assertLess(self.memory() - before, 30)
        self.check_alive()

    def test_warnings_are_bounded(self):
        # Python's client takes no more than a hundred header lines.
        body = "metadata: {name: twice}\ndata:\n" + "  a: b\n" * 40_000
        begun = time.monotonic()
        status, answer = self.api.ask(
            "POST", MAPS + "?fieldValidation=Warn&dryRun=All", "application/yaml", body
        )
        self.assertEqual(status, 201, answer)
        self.assertEqual(answer["data"], {"a": "b"})
        self.assertLess(time.monotonic() - begun, PATIENCE / 2)

    def test_many_bodies_at_once_are_bounded(self):
        before = self.memory()
        open_ones = []
        for _ in range(400):
            try:
                plain = socket.create_connection(self.api.address, timeout=PATIENCE)
                tls = self.api.context.wrap_socket(plain, server_hostname=self.api.address[0])
                tls.sendall(
                    self.api.head("POST", MAPS, "Content-Type: " + JSON, "Content-Length: 3000000")
                    + b"x" * 2_900_000
                )
                open_ones.append(tls)
            except OSError:
                pass  # refused with 503
        self.assertLess(self.memory() - before, MEMORY_GROWTH_MAX)
        for tls in open_ones:
            tls.close()
        self.assertLess(self.check_alive(), 10)

    def test_slow_and_many_connections_leave_others_undisturbed(self):
        slow = []
        head = self.api.head("POST", MAPS, "Content-Type: " + JSON, "Content-Length: 100")
        for number in range(300):
            plain = socket.create_connection(self.api.address, timeout=PATIENCE)
            if number % 3 == 0:  # never a handshake
                slow.append(plain)
                continue
            tls = self.api.context.wrap_socket(plain, server_hostname=self.api.address[0])
            tls.sendall(head[:-10] if number % 3 == 1 else head + b"{")
            slow.append(tls)
        self.assertLess(max(self.check_alive() for _ in range(10)), 5)
        # A head that does not come is given up after ten seconds.
        time.sleep(12)
        closed = 0
        for connection in slow:
            connection.setblocking(False)
            try:
                closed += connection.recv(4096) != b"" or 1
            except (ssl.SSLWantReadError, BlockingIOError):
                pass
            except OSError:
                closed += 1
            connection.close()
        self.assertGreaterEqual(closed, 190)
        self.check_alive()

    def test_watches_that_nobody_reads_hold_little(self):
        before = self.memory()
        watches = []
        for _ in range(50):
            plain = socket.create_connection(self.api.address, timeout=PATIENCE)
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            tls = self.api.context.wrap_socket(plain, server_hostname=self.api.address[0])
            tls.sendall(self.api.head("GET", MAPS + "?watch=true"))
            watches.append(tls)
        body = json.dumps({"data": {"k": "v", "x": "y" * 100_000}})
        for number in range(100):
            code, _ = self.api.ask(
                "PATCH", MAPS + "/base", MERGE, body.replace("yyy", f"{number:03}", 1)
            )
            self.assertEqual(code, 200)
        self.assertLess(self.memory() - before, MEMORY_GROWTH_MAX)
        code, _ = self.api.ask("PATCH", MAPS + "/base", MERGE, '{"data":{"x":null}}')
        self.assertEqual(code, 200)
        for tls in watches:
            tls.close()
        self.check_alive()


def compare(path):
    """Prints what another server says to the requests."""
    api = Api(path)
    api.ask("POST", MAPS, body=NAMED % ("base", ',"data":{"k":"v"}'))
    differences = 0
    for name, method, path, media_type, body, code, reason in REQUESTS:
        got, answer = api.ask(method, path, media_type, body)
        other = status_of(answer)
        same = got == code and (reason is None or other == reason)
        differences += not same
        message = answer.get("message") if isinstance(answer, dict) else answer
        print(f"{'  ' if same else '! '}{name}: {got} {other}: {str(message)[:200]!r}")
    sys.exit(differences > 0)


def main():
    if sys.argv[1] == "--kubeconfig":
        compare(sys.argv[2])
    sluice = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "dev.kubeconfig")
        process = subprocess.Popen(
            [sluice, "dev", "--server-only", "--write-kubeconfig", config],
            stdout=subprocess.PIPE, text=True,
            # A sanitizer would keep what is freed.
            env=os.environ | {"ASAN_OPTIONS": "quarantine_size_mb=1"},
        )
        try:
            for line in process.stdout:
                if "Ctrl-C" in line:
                    break
            Hostile.api, Hostile.process = Api(config), process
            threading.Thread(target=process.stdout.read, daemon=True).start()
            outcome = unittest.main(exit=False).result
        finally:
            process.send_signal(signal.SIGINT)
            code = process.wait(PATIENCE)
    sys.exit(0 if outcome.wasSuccessful() and code == 0 else 1)


if __name__ == "__main__":
    main()
