"""Errors of writing and reading an archive."""

from headwater.pipeline.errors import PipelineError

__all__ = ["ArchiveUnusable"]


class ArchiveUnusable(PipelineError):
    code = "archive_unusable"
