"""What keeps the pipeline from working."""

from headwater.errors import HeadwaterError

__all__ = ["MissingJava", "MissingSpark", "PipelineError", "UnreadableSource"]


class PipelineError(HeadwaterError):
    code = "pipeline_error"


class MissingJava(PipelineError):
    code = "missing_java"


class MissingSpark(PipelineError):
    code = "missing_spark"


class UnreadableSource(PipelineError):
    code = "unreadable_source"
