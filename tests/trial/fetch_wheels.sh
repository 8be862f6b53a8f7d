#!/usr/bin/env bash
# Fetches the real cuDNN wheels that some tests load, and unpacks their libraries: 1.9 GB to fetch,
# 2.9 GB of disk, once. They are the smallest that show what the tests are about: two versions of
# cuDNN 9, cuDNN JIT, cuDNN 8, and Windows' DLLs. What is there already is not fetched again. All are
# fetched beside each other, and what takes longer than ten minutes is given up.
#
#   tests/trial/fetch_wheels.sh [PYTHON]      into $CUDNN_WHEELS, else into the user's cache
set -euo pipefail
python=${1:-python3}
folder=${CUDNN_WHEELS:-${XDG_CACHE_HOME:-$HOME/.cache}/cudnn-assistant-tests/wheels}
mkdir -p "$folder"

fetch() { # NAME WHEEL OPTIONS…: one wheel into FOLDER/NAME; cut off in the middle it leaves none
    local name=$1 wheel=$2
    shift 2
    [ -d "$folder/$name" ] && return
    local part=$folder/part-$name
    rm -rf "$part"
    mkdir "$part"
    timeout 600 "$python" -m pip download -q --no-deps --no-cache-dir --only-binary=:all: "$@" \
        -d "$part" "$wheel"
    "$python" -m zipfile -e "$part"/*.whl "$part/unpacked"
    rm -rf "$part"/unpacked/nvidia/*/include
    mv "$part/unpacked" "$folder/$name"
    rm -rf "$part"
}

# As tests/real_wheels.py names them.
for wheel in nvidia-cudnn-cu13==9.27.0.42 nvidia-cudnn-cu13==9.12.0.46 \
    nvidia-cudnn-jit-cu13==9.27.0.42 nvidia-cudnn-cu11==8.9.6.50; do
    fetch "$wheel" "$wheel" &
done
wheel=nvidia-cudnn-cu13==9.13.0.50
fetch "$wheel-windows" "$wheel" --platform win_amd64 &

for fetching in $(jobs -p); do
    wait "$fetching" # ends with 1 where one could not be had
done
