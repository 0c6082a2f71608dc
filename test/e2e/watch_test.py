"""A watch ends when it is told to, wherever it is: else a run of these tests would never end."""

import contextlib
import socket
import threading
import unittest

from api_client import Watch
from etcd_client import EtcdWatch

SECONDS = 20.0


class Server:
    """Takes connections and never answers. `client` of a watch: it hands out connections."""

    def __init__(self, on_connect):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.on_connect = on_connect

    def connect(self, _):
        return Connection(self.listener.getsockname(), self.on_connect)


class Connection:
    """The part of an HTTP connection that a watch uses, without TLS."""

    def __init__(self, address, on_connect):
        self.address, self.on_connect, self.sock = address, on_connect, None

    def connect(self):
        self.sock = socket.create_connection(self.address)
        self.on_connect()

    def request(self, *_):
        pass

    def getresponse(self):
        if not self.sock.recv(1):
            raise ConnectionResetError("the connection was shut down")

    def close(self):
        if self.sock is not None:
            self.sock.close()


def make_watches(server):
    return {"api": Watch(server, "/api/v1/pods", "1"), "etcd": EtcdWatch(server, "g", "kinds", 1)}


class WatchTest(unittest.TestCase):
    def read(self, watch):
        reader = threading.Thread(target=list, args=(watch,), daemon=True)
        reader.start()
        return reader

    @contextlib.contextmanager
    def server(self, on_connect):
        server = Server(on_connect)
        try:
            yield server
        finally:
            server.listener.close()

    def test_one_that_waits_for_the_server_is_ended(self):
        for name in ("api", "etcd"):
            waits = threading.Event()
            with self.subTest(name), self.server(waits.set) as server:
                watch = make_watches(server)[name]
                reader = self.read(watch)
                self.assertTrue(waits.wait(SECONDS))
                watch.stop()
                reader.join(SECONDS)
                self.assertFalse(reader.is_alive())

    def test_one_that_connects_while_it_is_ended_does_not_wait(self):
        for name in ("api", "etcd"):
            with self.subTest(name), self.server(lambda: watch.stop()) as server:
                watch = make_watches(server)[name]
                reader = self.read(watch)
                reader.join(SECONDS)
                self.assertFalse(reader.is_alive())

    def test_one_that_was_ended_before_asks_nobody(self):
        for name in ("api", "etcd"):
            with self.subTest(name), self.server(lambda: self.fail("connected")) as server:
                watch = make_watches(server)[name]
                watch.stop()
                self.assertEqual(list(watch), [])
