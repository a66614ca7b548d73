"""A versioned bucket in an emulated S3, for as long as a test needs it."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest

from tests.aws.account import fake_account
from tests.aws.emulator import REGION

BUCKET = "documents"


@contextmanager
def made_bucket(url: str, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    """Gone with every version of everything in it when the context ends."""
    with fake_account(monkeypatch, all=url):
        s3: Any = boto3.resource("s3")
        made = s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        made.Versioning().enable()
        yield made
        made.object_versions.delete()
        made.delete()
