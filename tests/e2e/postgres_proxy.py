"""Stands between a master and its PostgreSQL and does what bad networks do: is slow, stalls, and cuts a
connection around a COMMIT, so that the master cannot know its outcome. Of Unix sockets, as the private
server has them; threads, two a connection."""

import contextlib
import os
import socket
import threading

COMMIT = b"COMMIT\x00"


class PostgresProxy:
    """Listens at listen_path. `delay_s` holds for every chunk that passes."""

    def __init__(self, listen_path, server_path):
        self.delay_s = 0.0
        self._server_path = server_path
        self._flowing = threading.Event()
        self._flowing.set()
        self._slowness = threading.Event()  # never set: waiting for it is the delay
        self._changed = threading.Condition()
        self._cuts = []
        self._open = set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(listen_path)
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self):
        self._flowing.clear()

    def heal(self):
        self.delay_s = 0.0
        self._flowing.set()

    def cut_commits(self, cuts):
        """Each cut is (whose, arrives): the next COMMIT of a batch of the "loop", of an "ingest" of
        records or of the "part" of a checkpoint loses its connection, after the server got the COMMIT
        or before."""
        with self._changed:
            self._cuts = list(cuts)

    def wait_until_cut(self, timeout_s):
        with self._changed:
            if not self._changed.wait_for(lambda: not self._cuts, timeout_s):
                raise AssertionError("these commits never came: {}".format(self._cuts))

    def close(self):
        self._listener.close()
        with self._changed:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            with contextlib.suppress(OSError):
                server.connect(self._server_path)
                with self._changed:
                    self._open |= {client, server}
                back = threading.Thread(target=self._pump, args=(server, client, False), daemon=True)
                back.start()
                self._pump(client, server, True)
                back.join()
        with self._changed:
            self._open -= {client, server}

    def _pump(self, source, target, is_client):
        transaction = b""  # what the client sent since its last COMMIT
        with contextlib.suppress(OSError):
            while chunk := source.recv(65536):
                self._flowing.wait()
                self._slowness.wait(self.delay_s)
                transaction += chunk if is_client else b""
                if is_client and COMMIT in chunk:
                    if self._cut(source, target, transaction, chunk):
                        break
                    transaction = b""
                target.sendall(chunk)
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _cut(self, client, server, transaction, chunk):
        """True if this COMMIT's connection was cut; then the client hears nothing more."""
        whose = ("loop" if b"write_batch" in transaction
                 else "ingest" if b"upsert_marks" in transaction
                 else "part" if b"insert_inbox" in transaction else None)
        with self._changed:
            cut = next((cut for cut in self._cuts if cut[0] == whose), None)
            if cut is None:
                return False
            client.shutdown(socket.SHUT_RDWR)
            if cut[1]:
                server.sendall(chunk)
            self._cuts.remove(cut)
            self._changed.notify_all()
            return True
