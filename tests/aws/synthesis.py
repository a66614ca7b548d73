"""`python -m tests.aws.synthesis DEPLOYMENT FOLDER ASSEMBLY …`: several deployments, as app.py does, in one process."""

import os
import sys
from collections.abc import Iterator

from app import build_app


def synthesize_each(arguments: Iterator[str]) -> None:
    """Three arguments for each: the deployment, the folder of its file, the assembly's folder. The last that is
    printed is the one that fails."""
    for deployment, folder, assembly in zip(arguments, arguments, arguments, strict=True):
        print(deployment, file=sys.stderr)
        os.environ["AUTRI_DEPLOYMENTS"] = folder
        build_app(deployment, assembly).synth(force=True)


if __name__ == "__main__":
    synthesize_each(iter(sys.argv[1:]))
