"""What keeps an archive from being written or read."""

from headwater.pipeline.errors import PipelineError

__all__ = ["ArchiveUnusable"]


class ArchiveUnusable(PipelineError):
    code = "archive_unusable"
