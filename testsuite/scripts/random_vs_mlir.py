"""Random programs, executed by MLIR's own plain lowering and by tilia under several configurations: all must print the same.

Programs are made by random_mlir.py; those that differ are left in the folder that is named. MLIR crashes on a few itself: they are counted, and may be a tenth.

usage: random_vs_mlir.py TILIA FIRST END [FOLDER]
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

from random_mlir import Program

SCRIPTS = pathlib.Path(__file__).resolve().parent
ALWAYS = ["--strategy=none --threads=1", "--threads=2 --grain=0"]
ONE_OF = [
    "--strategy=pluto --tile=3 --threads=2 --grain=0",
    "--strategy=pluto+ --tile=2,5 --threads=2 --grain=0",
    "--strategy=feautrier --threads=2 --grain=0",
    "--strategy=isl --tile=4 --threads=2 --grain=0",
    "--strategy=none --threads=2 --grain=0 --backend=llvm",
    "--threads=2 --grain=0 --backend=llvm",
]
SECONDS = 120


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"no answer in {SECONDS} s"
    printed = re.sub(r"base@ = 0x[0-9a-f]*", "base@ = ADDRESS", done.stdout)
    return (printed, "") if done.returncode == 0 else (None, f"exit status {done.returncode}: {done.stderr[-2000:]}")


def main(tilia, first, end, folder):
    wrong = skipped = 0
    for seed in range(first, end):
        file = folder / f"{seed}.mlir"
        file.write_text(Program(seed).text())
        expected, why = run([SCRIPTS / "mlir-run", file])
        if expected is None:
            skipped += 1
            print(f"seed {seed}: MLIR doesn't run it: {why.splitlines()[0]}")
            continue
        different = False
        for options in [*ALWAYS, random.Random(seed).choice(ONE_OF)]:
            got, why = run([tilia, "run", file, *options.split()])
            if got != expected:
                different = True
                print(f"seed {seed} with {options}: {why or 'the output differs'}")
        wrong += different
        if not different:
            file.unlink()
    print(f"{end - first - skipped - wrong} programs agree, {wrong} differ, {skipped} left out")
    return wrong > 0 or skipped * 10 > end - first


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    where = pathlib.Path(sys.argv[4] if len(sys.argv) == 5 else tempfile.mkdtemp(prefix="tilia-random-"))
    where.mkdir(parents=True, exist_ok=True)
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), where))
