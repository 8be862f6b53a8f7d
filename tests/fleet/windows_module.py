"""Stands in for modules of ansible.windows on a computer without PowerShell.

It takes the arguments that the collection's own take (``windows_modules.json``), and answers like
them; ``test_ansible.py`` writes NAME and ARGUMENTS before it.
"""

import os
import shutil
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

NAME, ARGUMENTS = globals().get("NAME", ""), globals().get("ARGUMENTS", {})


def here(path):
    return path.replace("C:\\", "/c/").replace("\\", "/")


def win_command(module, given):
    code, out, err = module.run_command(given["argv"])
    answer = {"rc": code, "stdout": out, "stderr": err, "changed": True}
    if code:
        module.fail_json("non-zero return code", **answer)
    return answer


def win_copy(module, given):
    target = here(given["dest"])
    same = os.path.exists(target) and module.sha1(target) == module.sha1(given["src"])
    if not same and not module.check_mode:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(given["src"], target)
    return {"changed": not same}


def win_package(module, given):
    """A file's version is what stands in it."""
    there = here(given["creates_path"])
    done = os.path.exists(there) and Path(there).read_text() == given["creates_version"]
    code = 0
    if not done and not module.check_mode:
        code, _, _ = module.run_command([here(given["path"]), *given["arguments"]], check_rc=True)
    return {"changed": not done, "rc": code, "reboot_required": False}


if __name__ == "__main__":
    one = AnsibleModule(ARGUMENTS, supports_check_mode=True)
    one.exit_json(**globals()[NAME](one, one.params))
