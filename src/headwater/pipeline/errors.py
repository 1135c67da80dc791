"""Errors of the pipeline."""

from headwater.errors import HeadwaterError

__all__ = [
    "MissingJava",
    "MissingSource",
    "MissingSpark",
    "PipelineError",
    "RefusedByStore",
    "StreamFailed",
    "UnreadableSource",
]


class PipelineError(HeadwaterError):
    code = "pipeline_error"


class MissingJava(PipelineError):
    code = "missing_java"


class MissingSpark(PipelineError):
    code = "missing_spark"


class UnreadableSource(PipelineError):
    code = "unreadable_source"


class MissingSource(UnreadableSource):
    """A file that is not there; where another process sees it, it is not on a disk that both share."""


class RefusedByStore(PipelineError):
    """One event that the database will not take, whatever else is written."""

    code = "refused_by_store"


class StreamFailed(PipelineError):
    code = "stream_failed"
