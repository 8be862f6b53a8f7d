#!/usr/bin/env bash
# Fetches the real cuDNN wheels that tests/trial/test_wheels.py loads (about 2.2 GB) and unpacks
# their libraries below a folder. Then: CUDNN_WHEELS=FOLDER pytest tests/trial/test_wheels.py
set -euo pipefail
folder=${1:?folder}
python=${2:-python3}
mkdir -p "$folder"
for wheel in nvidia-cudnn-cu12==9.27.0.42 nvidia-cudnn-cu12==9.18.0.77 \
    nvidia-cudnn-jit-cu12==9.27.0.42 nvidia-cudnn-cu11==8.9.6.50; do
    target=$folder/$wheel
    [ -d "$target" ] && continue
    files=$(mktemp -d)
    "$python" -m pip download -q --no-deps --only-binary=:all: -d "$files" "$wheel"
    "$python" -m zipfile -e "$files"/*.whl "$target.part"
    rm -r "$files"
    mv "$target.part" "$target"
done
if [ ! -d "$folder/windows" ]; then
    files=$(mktemp -d)
    "$python" -m pip download -q --no-deps --only-binary=:all: --platform win_amd64 -d "$files" \
        nvidia-cudnn-cu12==9.10.2.21
    "$python" -m zipfile -e "$files"/*.whl "$folder/windows.part"
    rm -r "$files"
    mv "$folder/windows.part" "$folder/windows"
fi
