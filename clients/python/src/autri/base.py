"""What every model of an answer has in common."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """An answer's part. Fields that this version of the client does not know are kept, and read as attributes."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True, protected_namespaces=())
