"""Black-box steps against a deployment that runs: `python -m tests.smoke URL [--token KEY]`. Nothing of the program is
imported, so that what an operator sees is all that they know."""
