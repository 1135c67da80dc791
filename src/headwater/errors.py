"""The one exception base. The fields have the error; the hint has what to do next."""

__all__ = ["HeadwaterError"]


class HeadwaterError(Exception):
    """Base of all errors that Headwater reports, each with a hint.

    `code` is a stable word for programs, `message` has the error and its place, `path` is the JSON path of the place
    if there is one, `hint` is what to do next.
    """

    code = "error"

    def __init__(self, message: str, *, path: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint
