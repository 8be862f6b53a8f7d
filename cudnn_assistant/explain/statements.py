"""How texts state versions, GPUs and places: in messages, in tables, and in people's words."""

from __future__ import annotations

import re

OWN_NAME = re.compile(
    r"torch(?!vision)|tensorflow|^tf|ctranslate|onnx|\bjax|cupy|mxnet|paddle|theano|caffe|tensorrt|trt"
    r"|numba|opencv|cv2",
    re.IGNORECASE,
)
"""Spellings whose version is the framework's. Of "fastai 1.0.47" or "ComfyUI 0.3" it isn't."""

CONTAINER = re.compile(r"\b(?:docker|container|podman|kubernetes)\b", re.IGNORECASE)

BUILT_WITH = re.compile(
    r"CUDA used to build PyTorch: (\d{1,2}\.\d)|torch\.version\.cuda\)?[^\d\n]{1,12}(\d{1,2}\.\d)",
    re.IGNORECASE,
)
"""What collect_env and ``print(torch.version.cuda)`` say of the package's own CUDA."""
BUILD = re.compile(r"(?:\+|\b|[-_])(?:cu|cuda)(\d{2,3})(?=\b(?!\.)|_|\))", re.IGNORECASE)
"""The mark of a package's own CUDA: +cu118, -cuda12."""
FIRST_TWO_DIGITS = 50
"""Of two digits from here on each is a number: 92 is 9.2, 12 is 12."""
GAPS = re.compile(r"[ \t]{2,200}")

OF_DRIVER = re.compile(
    r"((?:nvidia-smi|Driver Version)[^\n]{0,60}CUDA (?:UMD )?Version: ?)(\d{1,2}\.\d)",
    re.IGNORECASE,
)
"""What nvidia-smi calls CUDA is what the driver could run, not a toolkit."""

IN_TEXT: tuple[tuple[str, str], ...] = (
    ("driver", r"(?:Driver|KMD) Version: ?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)"),
    (
        "driver",
        (
            r"(?:\bdrivers?|\btreiber\w{0,8}|\bpilotes?|\bcontrolador(?:es)?|驱动\w{0,4}|ドライバー?)"
            r"(?:(?: (?:version|branch|is|was|to|at|now|ist|war|est|es))|[ :：=v(]){0,4}"
            r"(\d{3}(?:\.\d{2,3}(?:\.\d{1,3})?)?)\b(?!\.\d| ?%)"
        ),
    ),
    ("driver", r"\b(\d{3})(?:\.xx|xx)? (?:nvidia )?drivers?\b"),
    (
        "cuda",
        r"\bcuda[_ ]?(?:toolkit|runtime)?[ =-]?(?:version|release)?:? ?v?=?=?(\d{1,2}\.\d{1,2})\b",
    ),
    ("cuda", r"\bnvcc\S{0,3} release (\d{1,2}\.\d)"),
    ("cuda", r"(?<!for )\bCUDA ?v?(\d{1,2})\b(?![.\d])"),
    ("cudnn", r"\blibcudnn\.so\.(\d{1,2}\.\d{1,2}\.\d{1,2})\b"),
    ("cudnn", r"\bnvidia-cudnn(?:-cu\d\d)?(?:==| )(\d{1,2}(?:\.\d{1,3}){2,3})\b"),
    ("cudnn", r"\blibcudnn(\d)\b(?![.\d])"),
    # What ldd and ldconfig list, and what somebody saw in a folder.
    ("cudnn", r"=> ?/\S{1,150}libcudnn\w{0,20}\.so\.(\d{1,2}(?:\.\d{1,2}){0,2})\b"),
    (
        "cudnn",
        (
            r"\b(?:has|have|contains?|there (?:is|are)|only)\b[^\n]{0,60}"
            r"(?:\bcudnn\w{0,24}64_|libcudnn\w{0,20}\.so\.)(\d{1,2}(?:\.\d{1,2}){0,2})\b"
        ),
    ),
    (
        "cudnn",
        r"\bCUDA ?/ ?cuDNN version:?[^/\n]{1,60}/ ?(?:cudnn ?)?v?(\d{1,2}(?:\.\d{1,3}){1,3})\b",
    ),
    ("driver", r"\bnvidia(?:-driver)?-(\d{3})\b"),
    ("cudnn", r"\bcudnn ?(?:version)?[ :=v-]{1,3}(\d{1,2}(?:\.\d{1,3}){1,3})\b"),
    ("python", r"\bpython ?(?:version)?[ :=]{0,2}v?([23]\.\d{1,2}(?:\.\d{1,2})?)\b"),
    (
        "gpu",
        (
            r"\b((?:(?:RTX|GTX|GT|Titan) ?(?:A|Pro )?\d{3,4}\w{0,3}(?: Ti| Super)?)|"
            r"(?:(?:Tesla|Quadro) [A-Z]?\d{2,4}\w?)|Titan (?:X|V|Xp|RTX)|"
            r"Jetson(?: (?:AGX|Orin|Xavier|Nano|NX|TX[12]|Thor)){0,3}|L40S?|A10G|A40|GH200|"
            r"[AHPV]100|H200|B[23]00|K[48]0[cm]?|P40|A[456]000|GeForce \d{3,4}MX?)\b"
        ),
    ),
    (
        "gpu",
        (
            r"\b((?:AMD (?:Radeon )?|Radeon )(?:RX|R[579X]|HD|Pro|VII|Vega|Instinct|MI)\b"
            r"(?: ?\w{2,5}){0,2}|"
            r"(?:Apple|Mac(?:Book)?(?: ?Pro| ?Air| ?mini| ?Studio)?) M[1-9](?: Pro| Max| Ultra)?|"
            r"Intel (?:\(R\) )?Arc(?: ?\w{1,5})?)\b"
        ),
    ),
    (
        "compute",
        (
            r"(?<!minimum )(?<!required )(?<!requires )(?<!supported )(?<!needs )(?<!cuda )"
            r"\bcompute capability(?: is| of)?[ :=]{1,3}(\d{1,2}\.\d)\b(?! or| and (?:up|high))"
        ),
    ),
)
