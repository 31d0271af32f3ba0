"""What a run would take: tokens, dollars and seconds, before anything is asked."""

from answerprobe.estimate._estimate import Bounded, Estimate, Question, estimate


__all__ = ["Bounded", "Estimate", "Question", "estimate"]
