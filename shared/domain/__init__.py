"""The shapes that everything speaks of."""

from contextlib import suppress

# The function that fetches has no library beside it, and of these modules only what needs none.
with suppress(ModuleNotFoundError):
    from pydantic import BaseModel

    # Five hundred shapes are there at once, and a process uses few of them: each is built when it is first used.
    BaseModel.model_config["defer_build"] = True
