#!/usr/bin/env bash
# Everything about the cuDNN test that needs a real GPU: the tests, then the measurements.
#
#   tests/gpu/run.sh [test|bench|all]
#
# Works without a network: wheels of what is missing may lie in .whl (msgspec, platformdirs,
# pytest-socket, pefile, pyelftools). CUDNN_FOLDER names the cuDNN to test (else the interpreter's
# own nvidia/cudnn), CUDNN_OTHER a folder with libcudnn_cnn.so.9 of another version.
set -uo pipefail
cd "$(dirname "$0")/../.."
what=${1:-all}
python=${PYTHON:-python3}
if ls .whl/*.whl >/dev/null 2>&1; then
    site=$(mktemp -d)
    "$python" -m pip install -q --no-index --no-deps --no-compile --target "$site" .whl/*.whl || exit
    export PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH}
fi
[ -d .gpu/other ] && export CUDNN_OTHER=${CUDNN_OTHER:-$PWD/.gpu/other}
rc=0
if [ "$what" != bench ]; then
    # Without the options of pyproject: pytest-qt need not be there.
    "$python" -m pytest -q -o addopts= -p no:cacheprovider tests/gpu/test_trial_on_gpu.py || rc=$?
fi
if [ "$what" != test ]; then
    folder=${CUDNN_FOLDER:-$("$python" -c 'import sys,glob
print(next(f for p in sys.path for f in glob.glob(p+"/nvidia/cudnn/lib")))')}
    "$python" tests/bench/bench_trial.py "$folder" 5 || rc=$?
fi
exit $rc
