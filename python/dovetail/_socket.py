"""The rank's side of the rank socket (protocol 1): newline-delimited JSON, one connection a rank.

Messages carry a rising `seq` and are kept until the shim has acknowledged them, which it does once
they are on its disk; after a reconnect what is not acknowledged is sent again. Thread rule: any
thread may call send(); one thread of our own reads.
"""

import collections
import json
import math
import os
import socket
import sys
import threading
import time

PROTOCOL = 1
LINE_BYTES_MAX = 1 << 20
RECONNECT_S = 0.2
DRAIN_S = 60.0
UNACKED_MAX = 10_000  # beyond this, send() waits for the shim


def encode_number(value):
    """JSON has no NaN and no infinities; the protocol writes them as strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


class RankSocket:
    def __init__(self, path, rank, token, start_step=None, software=None):
        self._path = path
        self._hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "rank": rank,
            "token": token,
            "pid": os.getpid(),
        }
        if start_step is not None:
            self._hello["start_step"] = start_step
        if software:
            self._hello["software"] = software
        self._sending = threading.Lock()  # taken before _changed; never held by who reads acks
        self._changed = threading.Condition()
        self._unacked = collections.deque()  # (seq, line), guarded by _changed, as all below
        self._seq = 0
        self._connection = None
        self._welcomed = False  # until then nothing is sent: the welcome says from where on
        self._closing = False
        self._preempt_deadline = None
        self._stop = False
        self._refusal = None
        self._connect()
        self._reader = threading.Thread(target=self._read, name="dovetail", daemon=True)
        self._reader.start()

    def send(self, message):
        """Queues a message; returns its seq. Waits when the shim is far behind."""
        with self._changed:
            while len(self._unacked) >= UNACKED_MAX and not self._refusal:
                self._changed.wait(1.0)
        with self._sending:
            with self._changed:
                seq = self._seq + 1
                line = json.dumps(dict(message, seq=seq), allow_nan=False).encode() + b"\n"
                if len(line) > LINE_BYTES_MAX:
                    raise ValueError(
                        "a {} message of {} bytes is over the limit of {}".format(
                            message.get("type"), len(line), LINE_BYTES_MAX))
                self._seq = seq
                self._unacked.append((seq, line))
                connection = self._connection if self._welcomed else None
            self._write(connection, [line])
            return seq

    def wait_acked(self, seq, timeout_s=None):
        """True once everything up to seq is safe."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        with self._changed:
            while self._unacked and self._unacked[0][0] <= seq:
                left = None if deadline is None else deadline - time.monotonic()
                if self._refusal or (left is not None and left <= 0):
                    return False
                self._changed.wait(1.0 if left is None else min(left, 1.0))
            return True

    def preempt_deadline(self):
        with self._changed:
            return self._preempt_deadline

    def stop_ordered(self):
        with self._changed:
            return self._stop

    def close(self):
        """Drains, at most a minute; then says how much was not acknowledged."""
        self.wait_acked(self._seq, DRAIN_S)
        with self._changed:
            self._closing = True
            left = len(self._unacked)
            if self._connection:
                self._connection.close()
                self._connection = None
        if left:
            print("dovetail: {} messages were not acknowledged by the shim".format(left),
                  file=sys.stderr)

    def _connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(self._path)
        connection.sendall(json.dumps(self._hello).encode() + b"\n")
        with self._changed:
            self._connection = connection
            self._welcomed = False

    # Holds _sending but not _changed: the shim may wait for us to read its acks meanwhile.
    def _write(self, connection, lines):
        if connection is None:
            return  # the next welcome sends what is not acknowledged
        try:
            for line in lines:
                connection.sendall(line)
        except OSError:
            with self._changed:
                if self._connection is connection:
                    self._connection = None

    def _read(self):
        while True:
            with self._changed:
                if self._closing or self._refusal:
                    return
                connection = self._connection
            if connection is None:
                self._reconnect()
                continue
            try:
                for line in connection.makefile("rb"):
                    self._handle(json.loads(line))
            except (OSError, ValueError):
                pass
            with self._changed:
                if self._connection is connection:
                    self._connection = None

    def _reconnect(self):
        try:
            self._connect()
        except OSError:
            time.sleep(RECONNECT_S)

    def _handle(self, message):
        kind = message.get("type")
        if kind == "welcome":
            # In a thread of its own: who reads acks must never wait for the shim to read from us.
            threading.Thread(
                target=self._begin, args=(message.get("last_seq", 0),), daemon=True).start()
            return
        with self._changed:
            if kind == "ack":
                self._acked(message["seq"])
            elif kind == "preempt":
                self._preempt_deadline = time.monotonic() + message.get("deadline_ms", 0) / 1000.0
            elif kind == "stop":
                self._stop = True
            elif kind == "error":
                text = message.get("message", "?")
                print("dovetail: the shim refused a message: {}".format(text), file=sys.stderr)
                if message.get("code") in ("unauthenticated", "permission_denied"):
                    self._refusal = text
            self._changed.notify_all()

    def _begin(self, last_seq):
        with self._sending:
            with self._changed:
                self._welcomed = True
                self._acked(last_seq)
                connection = self._connection
                lines = [line for _, line in self._unacked]
                self._changed.notify_all()
            self._write(connection, lines)

    def _acked(self, seq):  # holds _changed
        self._seq = max(self._seq, seq)
        while self._unacked and self._unacked[0][0] <= seq:
            self._unacked.popleft()
