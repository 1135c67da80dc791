"""The one exception base. What went wrong is in the fields; what to do next is in the hint."""

__all__ = ["HeadwaterError"]


class HeadwaterError(Exception):
    """Base of all errors that Headwater reports, each with a hint how to mend it.

    `code` is a stable word for programs, `message` says what and where, `path` is the JSON path of the
    offending place when there is one, `hint` says what to do next.
    """

    code = "error"

    def __init__(self, message: str, *, path: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint
