"""lit's configuration: %tilia is the binary under test, FileCheck, mlir-opt and mlir-runner are LLVM 22's."""

import os

import lit.formats

LLVM = os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22")
HERE = os.path.dirname(__file__)
ROOT = os.path.dirname(os.path.dirname(HERE))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
TILIA = lit_config.params.get("tilia", os.path.join(TARGET, "release", "tilia"))

config.name = "tilia"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = HERE
config.test_exec_root = lit_config.params.get("scratch", os.path.join(TARGET, "harness-scratch", "lit"))
config.environment["PATH"] = os.pathsep.join([os.path.join(LLVM, "bin"), os.environ.get("PATH", "")])
# Tests say themselves how many threads they want.
config.environment.pop("TILIA_NUM_THREADS", None)
# What somebody tuned on this machine is no part of a test.
config.environment["TILIA_TUNING"] = "off"
config.substitutions.append(("%python", os.path.join(os.path.dirname(HERE), ".venv", "bin", "python")))
config.substitutions.append(("%testsuite", os.path.dirname(HERE)))
config.substitutions.append(("%root", ROOT))
config.substitutions.append(("%mlir_run", os.path.join(os.path.dirname(HERE), "scripts", "mlir-run")))
config.substitutions.append(("%tilia_run", os.path.join(os.path.dirname(HERE), "scripts", "tilia-run") + " " + TILIA))
config.substitutions.append(("%tilia\\b", TILIA))
# A hang is a failure.
config.maxIndividualTestTime = 120
