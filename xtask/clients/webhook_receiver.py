"""Receives webhooks, and verifies every message with the library of the standard."""

import http.server
import json
import os
import threading
import time
import urllib.request
from typing import Any

from standardwebhooks import Webhook

API = os.environ["ADDRESS"] + "/api/external/projectapi"
EACH = 50

received: list[tuple[str, dict[str, Any]]] = []
secrets: list[str] = []
failures: list[str] = []


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            messages = [Webhook(secret).verify(body, headers) for secret in secrets]
            received.append((headers["webhook-id"], messages[0]))
            self.send_response(204)
        except Exception as error:
            failures.append(repr(error))
            self.send_response(500)
        self.send_header("content-length", "0")
        self.end_headers()


def call(method: str, path: str, body: Any = None) -> Any:
    headers = {"X-Project-Api-Key": os.environ["PROJECT_TOKEN"], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def until(count: int) -> None:
    for _ in range(3000):
        if failures:
            raise SystemExit(failures[0])
        if len(received) >= count:
            return
        time.sleep(0.01)
    raise SystemExit(f"{len(received)} of {count} messages have come")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/"
bot = call("POST", "/bots", {"name": "Webhooks in Python"})["_id"]
webhook = call("POST", "/webhooks", {"url": address, "types": ["skill.*"], "botIds": [bot]})
secrets.append(webhook["secret"])


def make(begin: int) -> None:
    for number in range(begin, begin + EACH):
        call("POST", f"/bots/{bot}/skills", {"name": f"Skill {number}"})


make(0)
until(EACH)
# While a rotation overlaps, both secrets verify every message.
secrets.append(call("POST", f"/webhooks/{webhook['_id']}/rotate")["secret"])
make(EACH)
until(2 * EACH)
events = call("GET", f"/events?after=0&limit=1000&types=skill.*&botId={bot}")
assert [message["data"] for _, message in received] == events, "what has happened, in its order"
assert [sent for sent, _ in received] == [event["_id"] for event in events]
call("DELETE", f"/webhooks/{webhook['_id']}")
print(f"{len(received)} messages, all verified, the second half with two secrets")
