"""The webhook of the demo overlay: announces published and recalled versions to a server on this machine."""

from __future__ import annotations

import json

from headwater.demo.overlay.history import WrongStep
from headwater.demo.overlay.server import Notify
from headwater.outgoing.errors import OutgoingFailed
from headwater.outgoing.send import Outgoing

__all__ = ["notifier"]

_ACCEPTED = 202


def notifier(server: str, api_key: str = "") -> Notify:
    """A function that posts a versionId to the adapter of a server; a failed post is an error of the step."""
    outgoing = Outgoing("127.0.0.0/8,::1")
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {api_key}"} if api_key else {})

    def notify(what: str, version_id: str) -> None:
        url = f"{server.rstrip('/')}/adapter/openlineage/{what}"
        try:
            answer = outgoing.send("POST", url, headers=headers, body=json.dumps({"versionId": version_id}).encode())
        except OutgoingFailed as error:
            raise WrongStep(f"It happened, but the server was not told: {error.message}") from None
        if answer.status != _ACCEPTED:
            raise WrongStep(f"It happened, but the server answered {answer.status}.")

    return notify
