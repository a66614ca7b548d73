"""What a stage's process loads before it has anything to do: on AWS each function that starts pays for it."""

import subprocess
import sys
from pathlib import Path

from shared.contract import STAGES

# They look at pictures, with numpy.
LOOKING = {"parse", "extract"}
ROOT = Path(__file__).parents[2]


def test_no_other_stage_loads_numpy_to_start() -> None:
    names = [stage.name for stage in STAGES if stage.name not in LOOKING]
    assert len(names) == len(STAGES) - len(LOOKING)
    modules = ", ".join(["shared.bootstrap", *(f"shared.ingestion.{name}" for name in names)])
    program = f"import sys, {modules}; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "False"
