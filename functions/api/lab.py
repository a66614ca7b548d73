"""The application as the Lambda function that has what computes with datasets and draws plots: DuckDB and vl-convert.

In everything else `streaming.py`: answers leave in parts, so that a file may be larger than one answer of Lambda.
"""

from functions.api.streaming import main
from functions.packed import find_packed

if __name__ == "__main__":
    find_packed()
    main()
