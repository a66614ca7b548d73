"""Which foreign origin the pages may load images from and upload to: none here, the bucket's in the cloud."""

from fastapi import Request


def storage_origin(request: Request) -> str:
    """`app.state.storage_origin`, e.g. `https://bucket.s3.amazonaws.com`; empty where the app serves files itself."""
    return str(getattr(request.app.state, "storage_origin", ""))
