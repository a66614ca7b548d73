"""The API as a Lambda function: the same application, behind API Gateway's JWT authorizer."""

from mangum import Mangum

from functions.api.app import create_app
from functions.api.identity import cloud_identity
from shared.bootstrap import process_runtime

_runtime = process_runtime()
handler = Mangum(create_app(_runtime, cloud_identity(_runtime), local=False), lifespan="off")
