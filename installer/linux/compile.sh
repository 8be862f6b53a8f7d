for python in python3 python3.14 python3.13 python3.12 python3.11; do
    if $python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then
        how="-q --invalidation-mode unchecked-hash"
        $python -I -m compileall $how /usr/lib/cudnn-assistant >/dev/null || true
        break
    fi
done
