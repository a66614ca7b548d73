"""`python -m stacks.estimate NAME [--region REGION] [--json]`: what a deployment costs idle, and per 1,000 pages."""

import argparse
import json
import sys

from stacks.estimate.report import estimate
from stacks.specification import DeploymentError


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m stacks.estimate")
    parser.add_argument("deployment", help="a file of deployments/, without .toml")
    parser.add_argument("--region", help="price the same template in another region")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        found = estimate(arguments.deployment, arguments.region)
    except DeploymentError as error:
        sys.exit(str(error))
    print(json.dumps(found.as_json()) if arguments.json else found.as_text())


if __name__ == "__main__":
    main()
