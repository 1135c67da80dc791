"""Why an event that is in order could not be taken now."""

from headwater.errors import HeadwaterError

__all__ = ["Overloaded", "TooLarge", "WriteFailed"]


class Overloaded(HeadwaterError):
    """More is waiting to be written than the server is willing to hold; nothing of this request was kept."""

    code = "overloaded"
    retry_after = 1


class TooLarge(HeadwaterError):
    code = "too_large"


class WriteFailed(HeadwaterError):
    """The store refused this event, though not its neighbours."""

    code = "write_failed"
