"""A question that follows upon others, as it is asked: by a model where there is one, else where it is plain.

Only questions are read, never answers: nothing that a document says comes into what is asked, and nothing that the
asker may no longer see.
"""

import json
import time
from collections.abc import Sequence
from typing import Any, Final

from shared.answering.threads.ellipsis import may_follow, stand_alone, without_correction, words_of
from shared.domain.scope import Identity
from shared.errors import AutriError
from shared.plans.calling import call_model
from shared.ports import Answerer
from shared.prompts.stand_alone_prompt import FORMER_MAX, stand_alone_request
from shared.retrieval.requests import QUERY_LENGTH_MAX
from shared.runtime import Runtime

SECONDS: Final = 15.0
# What may be left out of a question that is made to stand alone.
_LEFT_OUT: Final = frozenset({
    "and", "but", "so", "then", "also", "ok", "okay", "what", "about", "how", "it", "its", "they", "them", "their",
    "this", "that", "these", "those", "there", "one", "ones", "he", "she", "his", "her", "him", "former", "latter",
    "same", "above", "the", "a", "an",
    "der", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "er", "sie", "es",
    "ihn", "ihm", "ihr", "et", "mais", "il", "elle", "ils", "elles", "y", "pero", "ella", "ellos", "ellas",
})  # fmt: skip


def rewrite(runtime: Runtime, identity: Identity, question: str, former: Sequence[str]) -> str | None:
    """The question as it stands alone, after `former` were asked, oldest first; None: as it was typed. Where the model
    cannot be asked, or what it says is none of these words, what is plain without it holds."""
    if not former or not may_follow(question):
        return None
    model = runtime.answerer
    if model is not None:
        try:
            said = _ask_model(runtime, identity, model, question, former)
        except AutriError:
            said = None
        if said is not None and (checked := borne_out(said, question, former)):
            return None if words_of(checked) == words_of(question) else checked
    return stand_alone(question, former)


def borne_out(said: Any, question: str, former: Sequence[str]) -> str | None:
    """What a model says, if it is a question of the words of these and keeps those of the question; else None."""
    if not isinstance(said, str) or not said.strip() or len(said) > QUERY_LENGTH_MAX:
        return None
    text = " ".join(said.split())
    asked, given = set(words_of(without_correction(question))), set(words_of(text))
    known = asked.union(*(words_of(one) for one in former[-FORMER_MAX:]))
    known |= {f"{word}{ending}" for word in known for ending in ("'s", "’s")}
    return text if given <= known and asked - _LEFT_OUT <= given else None


def _ask_model(runtime: Runtime, identity: Identity, model: Answerer, question: str, former: Sequence[str]) -> Any:
    request = stand_alone_request(question, former)
    reply, _ = call_model(runtime, identity, model, request, time.monotonic() + SECONDS)
    try:
        found = json.loads(reply.text)
    except ValueError:
        return None
    return found.get("question") if isinstance(found, dict) else None
