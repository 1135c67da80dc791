"""What keeps an archive from being written or read."""

from headwater.errors import HeadwaterError

__all__ = ["ArchiveUnusable"]


class ArchiveUnusable(HeadwaterError):
    code = "archive_unusable"
