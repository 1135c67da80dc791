"""Why an event is refused. Everything else that is odd about an event becomes a warning instead."""

from headwater.errors import HeadwaterError

__all__ = ["InvalidJson", "InvalidTime", "MissingIdentity", "NotAnObject", "RefusedEvent"]


class RefusedEvent(HeadwaterError):
    """The event cannot be kept: it is no event, names nothing, or has no time."""

    code = "refused_event"


class InvalidJson(RefusedEvent):
    code = "invalid_json"


class NotAnObject(RefusedEvent):
    code = "not_an_object"


class MissingIdentity(RefusedEvent):
    code = "missing_identity"


class InvalidTime(RefusedEvent):
    code = "invalid_time"
