"""Runs in the packed Python: compiles its libraries and our program, so that nothing is written
into the install folder at run time.

``compiling.py LIB APP``. Libraries keep only their compiled form (short paths, smaller); ours
keeps its text too: a report of a bug shows lines, and ``child/framework.py`` is run as text by
other interpreters. Compiled files carry no time and are never compared with a source.
"""

import os
import py_compile
import sys


def compile_all(folder: str, *, keep_text: bool) -> None:
    """Compile each source under ``folder``, in order of names."""
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(".py"):
                continue
            source = os.path.join(base, name)
            shown = os.path.relpath(source, folder).replace("\\", "/")
            py_compile.compile(
                source,
                cfile=None if keep_text else source + "c",
                dfile=shown,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            if not keep_text:
                os.remove(source)


if __name__ == "__main__":
    compile_all(sys.argv[1], keep_text=False)
    compile_all(sys.argv[2], keep_text=True)
