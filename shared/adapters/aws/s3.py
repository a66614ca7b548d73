"""A blob store in an S3 bucket."""

import os
import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.contract import MAX_UPLOAD_BYTES
from shared.errors import BadInput, NotFound, StoreUnavailable
from shared.ports import StoredObject, UploadTarget

READ_URL_S = 300
UPLOAD_URL_S = 900
# A function's /tmp holds the largest upload twice; older copies go first when a new one would not fit beside them.
COPIES_BYTES = 2 * MAX_UPLOAD_BYTES
# Threads that write several objects: each takes some 20 ms.
WRITERS = 8
MISSING = {"404", "NoSuchKey", "NoSuchVersion", "NoSuchUpload", "NotFound"}
# What S3 says of parts that do not make an object.
UNFIT = {"InvalidPart", "InvalidPartOrder", "EntityTooSmall", "MalformedXML"}


class S3BlobStore:
    """Objects of one bucket, which encrypts them with the deployment's key by default."""

    def __init__(self, bucket: str, copies: Path | None = None) -> None:
        self._bucket = bucket
        self._copies = copies or Path(tempfile.gettempdir()) / "autri-copies"
        self._s3 = make_client("s3")

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        self._put(key, data, content_type)

    def put_all(self, objects: Mapping[str, bytes]) -> dict[str, str | None]:
        def put(key: str, data: bytes) -> str | None:
            return self._put(key, data, "application/json" if key.endswith(".json") else "application/octet-stream")

        with ThreadPoolExecutor(WRITERS) as pool:
            return dict(zip(objects, pool.map(put, objects, objects.values()), strict=True))

    def put_file(self, key: str, path: Path) -> None:
        with _named_errors(key):
            self._s3.upload_file(str(path), self._bucket, key)
        path.unlink()

    def get(self, key: str) -> bytes:
        with _named_errors(key):
            return self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()

    def size(self, key: str) -> int:
        return int(self._head(key)["ContentLength"])

    def exists(self, key: str) -> bool:
        try:
            self._head(key)
        except NotFound:
            return False
        return True

    def list(self, prefix: str) -> Iterator[str]:
        """S3 lists in the order of UTF-8 bytes, which for our keys is the order of their characters."""
        for page in self._pages("list_objects_v2", prefix):
            yield from (item["Key"] for item in page.get("Contents", []))

    def entries(self, prefix: str) -> Iterator[StoredObject]:
        """What is visible. Parts of unfinished uploads and old versions end by the bucket's own rules."""
        for page in self._pages("list_objects_v2", prefix):
            for item in page.get("Contents", []):
                yield StoredObject(item["Key"], item["Size"], item["LastModified"])

    def delete(self, key: str, version: str | None = None) -> None:
        if version is not None:
            self._delete([{"Key": key, "VersionId": version}])
            return
        for page in self._pages("list_object_versions", key):
            found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
            self._delete([version for version in found if version["Key"] == key])

    def delete_prefix(self, prefix: str, until: float | None = None) -> int:
        """Deletes every version, so that nothing of a document is left; counts the objects that were visible."""
        deleted = 0
        for page in self._pages("list_object_versions", prefix):
            versions = page.get("Versions", [])
            deleted += sum(bool(version["IsLatest"]) for version in versions)
            self._delete([*versions, *page.get("DeleteMarkers", [])])
            if until is not None and time.monotonic() >= until:
                break
        return deleted

    def local_copy(self, key: str, version: str | None = None) -> Path:
        """A copy that is kept for this process's next stages, named by the object's content."""
        head = self._head(key, version)
        copy = self._copies / f"{head['ETag'].strip(chr(34))}-{head['ContentLength']}"
        if not copy.exists():
            self._copies.mkdir(parents=True, exist_ok=True)
            _make_room(self._copies, int(head["ContentLength"]))
            partial = copy.with_suffix(f".{os.getpid()}-{threading.get_ident()}.partial")
            with _named_errors(key):
                self._s3.download_file(self._bucket, key, str(partial), ExtraArgs=_version(version))
            partial.replace(copy)
        return copy

    def spool(self) -> None:
        return None

    def latest_version(self, key: str) -> str | None:
        return self._head(key).get("VersionId")

    def copy(self, key: str, version: str | None, target: str) -> None:
        """Within S3; a large object in parts, so that no single call lasts."""
        source = {"Bucket": self._bucket, "Key": key, **_version(version)}
        with _named_errors(key):
            self._s3.copy(source, self._bucket, target)

    def upload_target(self, key: str, size: int, sha256: str) -> UploadTarget:
        """A presigned POST: S3 itself refuses another key, another size, and bytes with another SHA-256."""
        checksum = {
            "x-amz-checksum-algorithm": "SHA256",
            "x-amz-checksum-sha256": b64encode(bytes.fromhex(sha256)).decode(),
        }
        conditions = [*({name: value} for name, value in checksum.items()), ["content-length-range", size, size]]
        post = self._s3.generate_presigned_post(
            self._bucket, key, Fields=checksum, Conditions=conditions, ExpiresIn=UPLOAD_URL_S
        )
        return UploadTarget(url=post["url"], method="POST", headers={}, fields=post["fields"])

    def begin_upload(self, key: str) -> str:
        with _named_errors(key):
            return str(self._s3.create_multipart_upload(Bucket=self._bucket, Key=key)["UploadId"])

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        part = {"Bucket": self._bucket, "Key": key, "UploadId": upload, "PartNumber": number}
        with _named_errors(key):
            return str(self._s3.upload_part(**part, Body=data)["ETag"])

    def part_url(self, key: str, upload: str, number: int) -> str:
        part = {"Bucket": self._bucket, "Key": key, "UploadId": upload, "PartNumber": number}
        return str(self._s3.generate_presigned_url("upload_part", Params=part, ExpiresIn=UPLOAD_URL_S))

    def end_upload(self, key: str, upload: str, parts: Sequence[str]) -> None:
        named = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(parts, start=1)]
        with _named_errors(key):
            try:
                self._s3.complete_multipart_upload(
                    Bucket=self._bucket, Key=key, UploadId=upload, MultipartUpload={"Parts": named}
                )
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in UNFIT:
                    raise BadInput(f"The parts of {key} are not those that were sent. Send them again.") from error
                raise

    def read_range(self, key: str, start: int, size: int) -> bytes:
        if size <= 0:
            return b""
        with _named_errors(key):
            try:
                found = self._s3.get_object(Bucket=self._bucket, Key=key, Range=f"bytes={start}-{start + size - 1}")
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") == "InvalidRange":
                    return b""
                raise
            return found["Body"].read()

    def write_url(self, key: str) -> str:
        """Whoever has the address may write this one object by PUT for some minutes."""
        where = {"Bucket": self._bucket, "Key": key}
        return str(self._s3.generate_presigned_url("put_object", Params=where, ExpiresIn=UPLOAD_URL_S))

    def read_url(self, key: str, filename: str | None = None) -> str | None:
        parameters = {"Bucket": self._bucket, "Key": key}
        if filename is not None:
            # RFC 6266: the name in UTF-8, with every other byte in hexadecimal.
            parameters["ResponseContentDisposition"] = f"attachment; filename*=UTF-8''{quote(filename, safe='')}"
        return str(self._s3.generate_presigned_url("get_object", Params=parameters, ExpiresIn=READ_URL_S))

    def _put(self, key: str, data: bytes, content_type: str) -> str | None:
        """Returns the version that it has become."""
        with _named_errors(key):
            put = self._s3.put_object(Bucket=self._bucket, Key=key, Body=data, ContentType=content_type)
        return put.get("VersionId")

    def _head(self, key: str, version: str | None = None) -> dict[str, Any]:
        with _named_errors(key):
            return self._s3.head_object(Bucket=self._bucket, Key=key, **_version(version))

    def _pages(self, operation: str, prefix: str) -> Iterator[dict[str, Any]]:
        with _named_errors(prefix):
            yield from self._s3.get_paginator(operation).paginate(Bucket=self._bucket, Prefix=prefix)

    def _delete(self, versions: Sequence[dict[str, Any]]) -> None:
        """What one page lists is at most what one call deletes: a thousand versions."""
        if not versions:
            return
        objects = [{"Key": version["Key"], "VersionId": version["VersionId"]} for version in versions]
        with _named_errors(versions[0]["Key"]):
            done = self._s3.delete_objects(Bucket=self._bucket, Delete={"Objects": objects, "Quiet": True})
        if done.get("Errors"):
            raise StoreUnavailable(f"S3 could not delete {len(done['Errors'])} objects. Delete the document again.")


def _version(version: str | None) -> dict[str, str]:
    return {"VersionId": version} if version else {}


@contextmanager
def _named_errors(key: str) -> Generator[None]:
    """S3's answers as ours: missing is NotFound, whatever else is left after retries is StoreUnavailable."""
    try:
        yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in MISSING:
            raise NotFound(f"There is no object {key}.") from error
        raise StoreUnavailable(f"The document store does not serve {key}: {error}") from error
    except (BotoCoreError, Boto3Error) as error:
        raise StoreUnavailable(f"The document store does not answer: {error}") from error


def _make_room(folder: Path, needed: int) -> None:
    copies = sorted(_sizes(folder))
    used = sum(size for _, size, _ in copies)
    for _, size, copy in copies:
        if used + needed <= COPIES_BYTES:
            return
        used -= size
        copy.unlink(missing_ok=True)


def _sizes(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Time of change, bytes and path of each copy; another thread may take one away meanwhile."""
    for copy in folder.iterdir():
        with suppress(FileNotFoundError):
            found = copy.stat()
            yield found.st_mtime, found.st_size, copy
