"""A step of datatrove that tokenizes its rank's files with `inlet run`. Files are dealt by the command; datatrove
starts, places and repeats tasks (locally, on Slurm, on Ray).

    pip install datatrove && python examples/datatrove_run.py OUT FILE…
"""

import subprocess
import sys

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep

INLET = ["inlet"]


class InletRun(PipelineStep):
    name = "Inlet"
    type = "tokenizer"

    def __init__(self, files, out, *flags):
        super().__init__()
        self.files, self.out, self.flags = files, out, flags

    def run(self, data, rank=0, world_size=1):
        shard = ["--shard", f"{rank}/{world_size}"]
        subprocess.run([*INLET, "run", *self.files, self.out, *shard, *self.flags], check=True)
        yield from data or ()


if __name__ == "__main__":
    out, *files = sys.argv[1:]
    step = InletRun(files, out, "--document-end", "endoftext", "--threads", "1")
    LocalPipelineExecutor(pipeline=[step], tasks=4, workers=2, logging_dir=f"{out}/log").run()
