"""A client of `cambium rpc`, made from what the server says of itself.

It has no list of methods of its own: `rpc.discover` answers an OpenRPC document, and
every method in it can be called by its name, with its parameters by name:

    with Cambium() as cambium:
        session = cambium.create(cwd="/work/garden")
        session.appendMessage(message={"role": "user", "content": "Hello"})

What opens a session answers a Session, which puts its handle into each call. Only the
standard library of Python 3.9 or later is needed.
"""

import itertools
import json
import queue
import subprocess
import threading
from concurrent.futures import Future


class Fault(Exception):
    """An error that the server answered, with the name that the document gives it."""

    def __init__(self, name, error):
        super().__init__(error["message"])
        self.name, self.code, self.data = name, error["code"], error.get("data")


class Cambium:
    """A server, and the calls to it. Calls may be made by several threads."""

    def __init__(self, command=("cambium", "rpc"), env=None):
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self._ids = itertools.count(1)
        self._waiting = {}
        self._lock = threading.Lock()
        self.events = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._methods, self._faults = {}, {}
        self.document = self.call("rpc.discover")
        self._methods = {method["name"]: method for method in self.document["methods"]}
        errors = self.document["components"]["errors"]
        self._faults = {error["code"]: name for name, error in errors.items()}

    def call(self, method, **params):
        """Calls a method and waits for its answer."""
        self._check(method, params)
        answer = Future()
        with self._lock:
            number = next(self._ids)
            self._waiting[number] = answer
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            self._server.stdin.write(json.dumps(message).encode() + b"\n")
            self._server.stdin.flush()
        result = answer.result()
        if self._opens(method):
            return Session(self, result["handle"])
        return result

    def __getattr__(self, name):
        # A point in a name is written as two underscores: history__add.
        method = name.replace("__", ".")
        if method not in self._methods:
            raise AttributeError(f"the server has no method {method}")
        return lambda **params: self.call(method, **params)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the server, which saves and closes every session first."""
        self._server.stdin.close()
        if self._server.wait() != 0:
            raise RuntimeError("the server could not save everything")

    def takes_handle(self, method):
        return any(p["name"] == "handle" for p in self._methods[method]["params"])

    def _opens(self, method):
        described = self._methods.get(method)
        return bool(described) and described["result"]["schema"].get("$ref", "").endswith("/Handle")

    def _check(self, method, params):
        """Finds a misspelt parameter before the server does."""
        described = self._methods.get(method)
        if described is None:
            return
        names = {p["name"] for p in described["params"]}
        for name in params:
            if name not in names:
                raise TypeError(f"{method} does not take {name}")
        for p in described["params"]:
            if p["required"] and p["name"] not in params:
                raise TypeError(f"{method} needs {p['name']}")

    def _read(self):
        for line in self._server.stdout:
            # Entries are passed on as the bytes they are, which need not be UTF-8.
            message = json.loads(line.decode(errors="surrogateescape"))
            if "method" in message:
                self.events.put(message)
                continue
            answer = self._waiting.pop(message["id"])
            if "error" in message:
                error = message["error"]
                answer.set_exception(Fault(self._faults.get(error["code"], "Unknown"), error))
            else:
                answer.set_result(message["result"])
        for answer in self._waiting.values():
            answer.set_exception(ConnectionError("the server is gone"))


class Session:
    """An open session. Its methods are those of the document that take a handle."""

    def __init__(self, cambium, handle):
        self._cambium, self.handle = cambium, handle

    def __getattr__(self, name):
        method = name.replace("__", ".")
        if not self._cambium.takes_handle(method):
            raise AttributeError(f"{method} is not about an open session")
        return lambda **params: self._cambium.call(method, handle=self.handle, **params)
