"""An installer for Windows from download to exit code: WinVerifyTrust, runas and exe of Wine.

Wine 8 checks the digest of a signature as Windows does and sees who signed it and whether the root
is trusted; it starts what is to be started elevated without a question.
"""

from __future__ import annotations

import http.server
import secrets
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import needs
import pytest
from windows_python import Wine

pytestmark = [
    pytest.mark.wine,
    pytest.mark.enable_socket,  # loopback only
    needs.programs("x86_64-w64-mingw32-gcc", "osslsigncode"),
]
REPOSITORY = str(Path(__file__).parents[2])
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
int main(int count, char **words) {
    FILE *file = fopen("C:\\installed\\started", "a");
    for (int at = 1; at < count; at++) fprintf(file, at > 1 ? " %s" : "%s", words[at]);
    fprintf(file, "\n");
    fclose(file);
    while (GetFileAttributesA("C:\\installed\\wait") != INVALID_FILE_ATTRIBUTES) Sleep(50);
    int code = 0;
    if ((file = fopen("C:\\installed\\code", "r"))) { fscanf(file, "%d", &code); fclose(file); }
    return code;
}
"""
CHECKS = {
    "unsigned": "unsigned",
    "not_trusted": "signed",
    "signed_by_another": "other",
    "changed_since": "changed",
    "signed_but_another_file": "signed",
    "signed": "signed",
    "declined": "signed",
    "ended_badly": "signed",
    "killed": "signed",
}
"""Which file each check of ``installers_inside.py`` is given; in this order."""


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as it comes from the compiler, signed, signed by another, and changed since."""
    folder = tmp_path_factory.mktemp("signed")
    (folder / "program.c").write_text(PROGRAM)
    compiler = ["x86_64-w64-mingw32-gcc", "-O1", "program.c", "-o", "unsigned.exe"]
    subprocess.run(compiler, cwd=folder, check=True)
    (folder / "unsigned.exe").rename(folder / "unsigned")
    openssl(folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-keyout",
            "root.key", "-out", "root.pem", "-subj",
            # Wine's prefix is kept: the authority of an earlier run must not pass for this one.
            f"/CN=Root {secrets.token_hex(8)}")  # fmt: skip
    openssl(folder, "x509", "-in", "root.pem", "-outform", "DER", "-out", "root.der")
    (folder / "use").write_text("extendedKeyUsage=codeSigning\n")
    for name, organisation in (("signed", "Loopback Corporation"), ("other", "Other Corporation")):
        openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out",
                f"{name}.csr", "-subj", f"/O={organisation}/CN={organisation}")  # fmt: skip
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "root.pem", "-CAkey",
                "root.key", "-CAcreateserial", "-days", "3650", "-extfile", "use", "-out",
                f"{name}.pem")  # fmt: skip
        sign = ["osslsigncode", "sign", "-certs", f"{name}.pem", "-ac", "root.pem",
                "-key", f"{name}.key", "-h", "sha256", "-in", "unsigned", "-out",
                name]  # fmt: skip
        subprocess.run(sign, cwd=folder, check=True, capture_output=True)
    content = bytearray((folder / "signed").read_bytes())
    at = content.index(b"C:\\installed\\started")
    content[at : at + 1] = b"D"
    (folder / "changed").write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def address(files: Path) -> Iterator[str]:
    """A permanent address of each file, which leads on to another, as Microsoft's does."""

    class Answer(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(files))  # type: ignore[arg-type]

        def do_GET(self) -> None:
            if self.path.startswith("/go/"):
                self.send_response(301)
                self.send_header("Location", self.path.removeprefix("/go"))
                self.end_headers()
            elif self.path == "/away":
                self.send_response(302)
                self.send_header("Location", "https://example.org/installer.exe")
                self.end_headers()
            else:
                self.path = self.path.removesuffix(".exe")
                super().do_GET()

        def log_message(self, *_arguments: object) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


Run = Callable[[str, str], None]


@pytest.fixture(scope="module")
def inside(wine: Wine, files: Path) -> Run:
    root = "Z:" + str(files / "root.der").replace("/", "\\")

    def run(check: str, link: str) -> None:
        done = wine.run("installers_inside.py", check, link, root)
        assert done.output.strip().endswith("fine"), done.output

    return run


@pytest.mark.spread(2)
@pytest.mark.parametrize(("check", "file"), CHECKS.items(), ids=list(CHECKS))
def test_an_installer(inside: Run, address: str, check: str, file: str) -> None:
    inside(check, f"{address}/go/{file}.exe")


def test_no_other_host_is_followed_to(inside: Run, address: str) -> None:
    inside("other_host", f"{address}/away")
