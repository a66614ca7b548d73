"""A template's values as a person would write them: references by the names that the code gives, without hashes."""

import json
from typing import Any

from tests.aws.iam.access import short

PSEUDO = {"AWS::AccountId": "<account>", "AWS::Region": "<region>", "AWS::Partition": "aws"}


def spell(value: Any) -> Any:
    """`{"Fn::GetAtt": ["StorageKeyBAA9457B", "Arn"]}` → `<StorageKey.Arn>`; joined parts as one text."""
    if isinstance(value, list):
        return [spell(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"Ref"}:
        return PSEUDO.get(value["Ref"]) or f"<{short(value['Ref'])}>"
    if set(value) == {"Fn::GetAtt"}:
        return f"<{short(value['Fn::GetAtt'][0])}.{value['Fn::GetAtt'][1]}>"
    if set(value) == {"Fn::Join"}:
        separator, parts = value["Fn::Join"]
        return separator.join(str(spell(part)) for part in parts)
    if len(value) == 1 and next(iter(value)).startswith("Fn::"):
        return f"<{json.dumps(spell(next(iter(value.values()))))}>"
    return {key: spell(part) for key, part in value.items()}
