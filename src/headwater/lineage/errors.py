from headwater.errors import HeadwaterError

__all__ = ["BadQuestion", "NodeNotFound"]


class NodeNotFound(HeadwaterError):
    code = "not_found"


class BadQuestion(HeadwaterError):
    code = "bad_question"
