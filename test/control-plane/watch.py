"""The end of a watch: what reads it waits in one thread, and another one ends it."""

import http.client
import socket
import threading


class EndableWatch:
    """Iterates over the changes of one stream after the other until stop() is called.

    What derives from it opens a connection with `connect` and yields the changes that come on it in
    `changes`, which begins with `holds`.
    """

    def __init__(self):
        self.stopped = threading.Event()
        self.socket = None

    def stop(self):
        """Ends the iteration, also one that is waiting for the server now."""
        self.stopped.set()
        self.shut()

    def holds(self, connection):
        """From here on stop() ends what is read from the connection."""
        self.socket = connection.sock
        if self.stopped.is_set():
            self.shut()  # stop() came between the two and saw no socket, or the last one

    def shut(self):
        if self.socket is None:
            return
        try:
            # Not the method of the TLS socket: that one takes the TLS state away under the reading
            # thread.
            socket.socket.shutdown(self.socket, socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended by itself

    def __iter__(self):
        while not self.stopped.is_set():
            connection = self.connect()
            try:
                yield from self.changes(connection)
            except ConnectionRefusedError:
                if not self.stopped.is_set():
                    raise
            except (http.client.HTTPException, OSError, ValueError):
                continue  # hung up, perhaps in the middle of a line: go on after the last change
            finally:
                connection.close()
