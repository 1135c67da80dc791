"""Errors of a model, its configuration or its answers. No message holds a secret, a body or a prompt."""

from __future__ import annotations

from headwater.errors import HeadwaterError

__all__ = ["AGAIN_SECONDS", "BudgetSpent", "ModelFailed", "ModelMissing", "ModelRefused", "WrongAnswer", "WrongModel"]


AGAIN_SECONDS = 900.0
"""After so long a model is tried again whose credential was refused: keys are renewed where we do not see it."""


class WrongModel(HeadwaterError):
    """A configuration that cannot work."""

    code = "wrong_model"


class ModelMissing(HeadwaterError):
    """The tenant has no such model."""

    code = "model_missing"


class ModelFailed(HeadwaterError):
    """The model did not answer, or not for now; the same question may succeed later."""

    code = "model_failed"


class ModelRefused(HeadwaterError):
    """The model's server refuses us as long as nothing is changed, or until a time that it names."""

    code = "model_refused"

    def __init__(self, message: str, reason: str, *, seconds: float | None = None, hint: str | None = None) -> None:
        """`seconds`: after which it may be asked again; None if a person has to do something."""
        super().__init__(message, hint=hint)
        self.reason, self.seconds = reason, seconds


class WrongAnswer(HeadwaterError):
    """The model answered something else than it should."""

    code = "wrong_answer"


class BudgetSpent(HeadwaterError):
    """The tenant's budget of the day is spent."""

    code = "budget_spent"
