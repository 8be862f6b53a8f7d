"""Runs in the packed Python: compiles its libraries and our program, so that nothing is written
into the install folder at run time.

``compiling.py LIB APP``. Only the compiled form stays, beside where the text was: a folder
``__pycache__`` in each path would cost 30 of the characters that Windows gives to a path. What
other interpreters run stays text. Compiled files carry no time and are never compared with a
source; the lines of a traceback have their numbers.
"""

import os
import py_compile
import sys

_IN_OTHERS = (f"cudnn_assistant/child/{name}.py" for name in ("channel", "framework", "mapped"))
TEXT = ("cudnn_assistant/__main__.py", *_IN_OTHERS)
"""What is started by its file's name, or in an interpreter of somebody else's."""


def compile_all(folder: str) -> None:
    """Compile each source under ``folder``, in order of names."""
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            source = os.path.join(base, name)
            shown = os.path.relpath(source, folder).replace("\\", "/")
            if not name.endswith(".py") or shown in TEXT:
                continue
            py_compile.compile(
                source,
                cfile=source + "c",
                dfile=shown,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            os.remove(source)


if __name__ == "__main__":
    for each in sys.argv[1:]:
        compile_all(each)
