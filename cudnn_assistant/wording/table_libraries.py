"""Words about the libraries: CUDA and cuDNN, where they lie and which one is found."""

from __future__ import annotations

from cudnn_assistant.wording.language import N_
from cudnn_assistant.wording.text import Text

_UNDO_FOLDER = N_("Undo takes the folder out again; your other entries stay as they are.")
_UNDO_INSTALL = N_("Undo removes the new folder again; nothing else is touched.")
_UNDO_PIP = N_("The present versions are kept and can be put back.")

_ABOVE = N_(
    "It is installed in {folder}, but PATH (the list of folders Windows searches) names the folder"
    " above it, and Windows doesn't look into subfolders."
)
_NOT_SEARCHED = N_(
    "cuDNN is installed in {folder}, but that folder isn't on PATH, the list of folders Windows"
    " searches when a program starts."
)
_TERMINALS = N_(
    "A line in {startup} names this folder, but only what is started from a terminal gets it."
)
_NOT_SEARCHED_LINUX = N_(
    "cuDNN is installed in {folder}, but Linux doesn't look into that folder when a program starts."
)

_NEEDS_CUDA = (
    N_("{program} is made for CUDA {cuda}, which isn't installed."),
    N_("There is CUDA {present}, whose files have other names."),
)

LIBRARIES: dict[str, Text] = {
    "driver-too-old": Text(
        "gpu",
        (
            N_("Your driver is too old for CUDA {cuda}"),
            N_("Your driver is too old for {wants}"),
        ),
        (
            N_("The NVIDIA driver is the software that lets programs use the GPU."),
            N_("Driver {driver} supports CUDA up to {limit}."),
            N_("{program} is made for CUDA {cuda}."),
            N_("The cuDNN on this computer ({copy}) is made for CUDA {cuda}."),
            N_("{wants} itself told that driver {had} isn't new enough for it."),
        ),
        (
            N_("Install driver {needed} or newer from NVIDIA, then restart."),
            N_("Install the newest driver, restart, and check {wants} again."),
            N_("Or keep the driver and use cuDNN for CUDA {other}."),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "gpu-too-old-for-cuda": Text(
        "cuda",
        N_("Your GPU is too old for CUDA {cuda}"),
        (
            N_("{program} is made for CUDA {cuda}."),
            N_("CUDA {cuda} doesn't run on GPUs as old as {gpu}."),
        ),
        (N_("Install cuDNN for CUDA {other} in a folder of our own. A newer driver can't help."),),
        (_UNDO_INSTALL,),
    ),
    "gpu-too-old-for-cuda:manual": Text(
        "cuda",
        N_("Your GPU is too old for CUDA {cuda}"),
        (
            N_("{program} is made for CUDA {cuda}."),
            N_("CUDA {cuda} doesn't run on GPUs as old as {gpu}."),
        ),
        (
            N_("Keep the driver, and use a build of the program for CUDA {other}."),
            N_("A newer driver can't help."),
        ),
        way_out=N_("Save report…"),
    ),
    "gpu-too-new-for-cuda": Text(
        "cuda",
        N_("This GPU is too new for CUDA {cuda}"),
        (
            N_("{program} is made for CUDA {cuda}, and {gpu} needs CUDA {oldest} or newer."),
            N_("Such programs wait for minutes at their start, stop or compute wrong results."),
        ),
        (N_("Use a release newer than {program} that is made for CUDA {oldest} or later."),),
        way_out=N_("Save report…"),
    ),
    "program-needs-other-cuda": Text(
        "cuda",
        N_("A program needs CUDA {cuda}"),
        _NEEDS_CUDA,
        (
            N_(
                "Get the libraries of CUDA {ours} from NVIDIA and put them into a folder of our"
                " own, where this program finds them. Other programs keep theirs."
            ),
        ),
        (_UNDO_INSTALL,),
    ),
    "program-needs-other-cuda:manual": Text(
        "cuda",
        N_("A program needs CUDA {cuda}"),
        _NEEDS_CUDA,
        (N_("Install CUDA {cuda} from NVIDIA's archive. It can stand beside the other."),),
        way_out=N_("Open NVIDIA's CUDA archive"),
    ),
    "cuda-missing": Text(
        "cuda",
        (N_("{toolkit} lacks the library cuBLAS"), N_("CUDA isn't installed")),
        (
            N_(
                "cuDNN works together with NVIDIA's CUDA libraries (cuBLAS above all), and none"
                " that programs can find is on this computer."
            ),
            N_("It asks for {file}, which wasn't found."),
        ),
        (
            N_(
                "Install cuDNN together with the CUDA libraries that it needs in a folder of our"
                " own. The present cuDNN stays."
            ),
        ),
        (_UNDO_INSTALL,),
    ),
    "cuda-missing:manual": Text(
        "cuda",
        N_("CUDA isn't installed"),
        (
            N_(
                "cuDNN works together with NVIDIA's CUDA libraries (cuBLAS above all), and none"
                " that programs can find is on this computer."
            ),
        ),
        (N_("Install the CUDA {cuda} Toolkit from NVIDIA."),),
        way_out=N_("Open NVIDIA's CUDA page"),
    ),
    "cuda-not-on-path": Text(
        "cuda",
        N_("Windows can't find CUDA {cuda}"),
        (
            N_(
                "Its libraries are in {folder}, but that folder isn't on PATH, the list of folders"
                " Windows searches when a program starts."
            ),
        ),
        (N_("Add this one folder to your PATH. Nothing is removed."),),
        (_UNDO_FOLDER,),
    ),
    "cuda-not-on-path@linux": Text(
        "cuda",
        N_("Programs can't find CUDA {cuda}"),
        (
            N_(
                "Its libraries are in {folder}, but Linux doesn't look into that folder when a"
                " program starts."
            ),
        ),
        (
            N_(
                "Add this one folder to LD_LIBRARY_PATH, a list of folders that programs search"
                " first. Nothing is removed."
            ),
        ),
        (_UNDO_FOLDER,),
    ),
    "cuda-not-on-path:manual@linux": Text(
        "cuda",
        N_("Programs can't find CUDA {cuda}"),
        (
            N_(
                "Its libraries are in {folder}, but Linux doesn't look into that folder when a"
                " program starts."
            ),
        ),
        (N_("Add the folder to the list of the system's loader."),),
    ),
    "search-folder-closed": Text(
        "cudnn",
        N_("You may not open a folder of libraries"),
        (
            N_(
                "{folder} is in the list of folders that programs search, but your account may not"
                " open it. cuDNN is in none of the others."
            ),
        ),
        (N_("Let everybody open that folder, or ask whoever looks after this computer."),),
    ),
    "loader-list-not-renewed": Text(
        "cudnn",
        N_("Linux doesn't know yet where {product} is"),
        (
            N_(
                "Its folder {folder} stands in {place}, but the list that Linux makes from such"
                " files wasn't made anew since."
            ),
        ),
        (N_("Run the command in a terminal; it makes the list anew."),),
    ),
    "cudnn-not-on-path": Text(
        "cudnn",
        N_("Windows can't find {product}"),
        (_NOT_SEARCHED,),
        (N_("Add this one folder to your PATH. Nothing is removed."),),
        (_UNDO_FOLDER,),
    ),
    "cudnn-not-on-path@linux": Text(
        "cudnn",
        N_("Programs can't find {product}"),
        (_NOT_SEARCHED_LINUX, _TERMINALS),
        (
            N_(
                "Add this one folder to LD_LIBRARY_PATH, a list of folders that programs search"
                " first. Nothing is removed."
            ),
        ),
        (_UNDO_FOLDER,),
    ),
    "cudnn-not-on-path:manual@linux": Text(
        "cudnn",
        N_("Programs can't find {product}"),
        (_NOT_SEARCHED_LINUX, _TERMINALS),
        (
            N_(
                "Add the folder to the list of the system's loader. That leaves the cuDNN of your"
                " Python environments as it is."
            ),
        ),
    ),
    "cudnn-parent-on-path": Text(
        "cudnn",
        N_("Windows can't find {product}"),
        (_ABOVE,),
        (N_("Add this one folder to your PATH. Nothing is removed."),),
        (_UNDO_FOLDER,),
    ),
    "spare-cudnn-not-searched": Text(
        "cudnn",
        N_("There is a {product} that nothing uses"),
        (N_("It lies in {folder}, where programs don't look. Nothing here needs it."),),
        (N_("Nothing needs to be done."),),
    ),
    "older-cudnn-first": Text(
        "cudnn",
        N_("An older cuDNN is found first"),
        (
            N_(
                "Programs get cuDNN {old} from {old_folder} because it stands before cuDNN {new}"
                " on PATH, the list of folders Windows searches."
            ),
            N_("{program} then can't start it."),
        ),
        (N_("Put cuDNN {new} in front. The older one stays for programs that use it."),),
        (N_("Undo restores the old order."),),
    ),
    "older-cudnn-first@linux": Text(
        "cudnn",
        N_("An older cuDNN is found first"),
        (
            N_(
                "Programs get cuDNN {old} from {old_folder} because that folder is searched before"
                " the one of cuDNN {new}."
            ),
            N_("{program} then can't start it."),
        ),
        (
            N_(
                "Put cuDNN {new} first in LD_LIBRARY_PATH, a list of folders that programs search"
                " first. The older one stays for programs that use it."
            ),
        ),
        (N_("Undo restores the old order."),),
    ),
    "older-cudnn-first:manual@linux": Text(
        "cudnn",
        N_("An older cuDNN is found first"),
        (
            N_(
                "Programs get cuDNN {old} from {old_folder} because that folder is searched before"
                " the one of cuDNN {new}."
            ),
            N_("It is put there in {place}."),
        ),
        (
            N_("Take {old_folder} out of {variable}, a list of folders that programs search."),
            N_("Add {add} to the list of the system's loader."),
        ),
    ),
    "stray-cudnn-first": Text(
        "cudnn",
        N_("A stray copy of cuDNN is found first"),
        (
            N_(
                "{file} (cuDNN {old}) lies in a folder that Windows searches before everything"
                " else, so cuDNN {new} is never reached."
            ),
            N_(
                "{lone} lies in a folder that Windows searches before everything else, so programs"
                " take it in place of the file of cuDNN {new}."
            ),
        ),
        (
            N_(
                "If you copied that file there, rename it and check again. We don't touch it,"
                " because a program may have put it there for itself."
            ),
        ),
        way_out=N_("Save report…"),
    ),
    "cudnn-too-old": Text(
        "cudnn",
        N_("{product} is too old for a program"),
        (
            N_("{program} was made with cuDNN {needed} and needs that or a newer one."),
            N_("Programs get {product} from {folder}."),
        ),
        (
            N_(
                "Install a newer cuDNN from NVIDIA in a folder of our own and let programs find it"
                " first. The older one stays."
            ),
        ),
        (_UNDO_INSTALL,),
    ),
    "cudnn-missing": Text(
        "cudnn",
        N_("{product} isn't installed"),
        (
            N_("Your programs need cuDNN, and there is none that they could use."),
            N_("{program} takes it from the system."),
            N_("The CUDA Toolkit doesn't contain it."),
        ),
        (
            N_(
                "Download the official cuDNN from NVIDIA, check it, and unpack it into a folder of"
                " our own. That needs no administrator, somebody who may change the whole computer."
            ),
            N_("NVIDIA's CUDA libraries that it needs ({libraries}) come along."),
        ),
        (_UNDO_INSTALL,),
    ),
    "cudnn-missing:manual": Text(
        "cudnn",
        N_("{product} isn't installed"),
        (N_("{program} brings no cuDNN that works."),),
        (N_("Install {program} again as its makers describe."),),
    ),
    "cudnn-missing:unknown": Text(
        "cudnn",
        N_("{product} isn't installed"),
        (
            N_("Your programs need cuDNN, and there is none that they could use."),
            N_("{program} takes it from the system."),
        ),
        (
            N_(
                "We can't tell which one fits, because too little is known about the GPU and its"
                " driver, the software that lets programs use it."
            ),
        ),
    ),
    "cudnn-wrong-major": Text(
        "cudnn",
        N_("A program needs {product}"),
        (
            N_("{program} asks for {product}; installed is {present}."),
            N_("The two have different file names and can't stand in for each other."),
        ),
        (
            N_(
                "Install {product} from NVIDIA in a folder of our own, beside the one that is"
                " there. Nothing is removed."
            ),
        ),
        (_UNDO_INSTALL,),
    ),
    "cudnn-wrong-major:manual": Text(
        "cudnn",
        N_("A program needs {product}"),
        (
            N_("{program} asks for {product}; there is {present}."),
            N_("The two have different file names and can't stand in for each other."),
        ),
        (N_("Install {program} again as its makers describe."),),
    ),
    "cudnn-jit-only": Text(
        "cudnn",
        N_("Only the small cuDNN is installed"),
        (
            N_(
                "The package cudnn-jit holds only a part of cuDNN, and most programs need the"
                " whole."
            ),
        ),
        (N_("Install the full cuDNN."),),
    ),
    "nvrtc-missing": Text(
        "cuda",
        N_("cuDNN can't build code for the GPU"),
        (
            N_(
                "It builds some of its code on the spot with NVIDIA's NVRTC, which is missing here"
                " or mixed from two versions."
            ),
        ),
        (N_("Install NVRTC for CUDA {cuda}."),),
        (_UNDO_PIP,),
    ),
    "nvrtc-missing:manual": Text(
        "cuda",
        N_("cuDNN can't build code for the GPU"),
        (
            N_(
                "It builds some of its code on the spot with NVIDIA's NVRTC, which is missing here"
                " or mixed from two versions."
            ),
        ),
        (N_("Install the CUDA {cuda} Toolkit from NVIDIA, which contains it."),),
        way_out=N_("Open NVIDIA's CUDA page"),
    ),
    "cublas-mixed": Text(
        "cuda",
        N_("Two versions of cuBLAS are mixed"),
        (
            N_(
                "cuBLAS and its companion cuBLASLt must come from one folder. Programs got one from"
                " {one} and one from {other}."
            ),
        ),
        (N_("Take one of the two folders out of the search settings."),),
    ),
    "cudnn-parts-not-found": Text(
        "cudnn",
        N_("{product} can't find its own parts"),
        (
            N_(
                "{file} lies in {folder}, but that folder isn't on PATH, the list of folders"
                " Windows searches, and cuDNN looks for its parts there."
            ),
        ),
        (N_("Add this one folder to your PATH. Nothing is removed."),),
        (_UNDO_FOLDER,),
    ),
    "cudnn-920-foreign-part": Text(
        "cudnn",
        N_("cuDNN 9.20 takes a part from elsewhere"),
        (
            N_(
                "This release asks for a part that it doesn't bring, and takes the one of a newer"
                " cuDNN from {folder}. The two don't fit."
            ),
        ),
        (N_("Install cuDNN 9.21 or newer in this environment, which brings that part."),),
        (_UNDO_PIP,),
    ),
    "cudnn-920-foreign-part:manual": Text(
        "cudnn",
        N_("cuDNN 9.20 takes a part from elsewhere"),
        (
            N_(
                "This release asks for a part that it doesn't bring, and takes the one of a newer"
                " cuDNN from {folder}. The two don't fit."
            ),
        ),
        (N_("Use cuDNN 9.21 or newer, which brings that part."),),
    ),
    "library-path-overrides": Text(
        "cudnn",
        N_("A setting gives Python another cuDNN"),
        (
            N_(
                "{program} brings {own}, but LD_LIBRARY_PATH (a list of folders that programs"
                " search first) makes it load {other} from {folder}."
            ),
        ),
        (N_("Take this folder out of LD_LIBRARY_PATH."),),
        (N_("Undo puts the folder back."),),
    ),
    "library-path-overrides:manual": Text(
        "cudnn",
        N_("A setting gives Python another cuDNN"),
        (
            N_(
                "{program} brings {own}, but LD_LIBRARY_PATH (a list of folders that programs"
                " search first) makes it load {other} from {folder}."
            ),
        ),
        (
            N_("Take this folder out of LD_LIBRARY_PATH and open a new terminal."),
            N_("It is put there in {place}."),
        ),
    ),
    "system-cudnn-overrides": Text(
        "cudnn",
        N_("The system's cuDNN takes Python's place"),
        (
            N_("{program} brings {own}, but parts of {other} are loaded from {folder} instead."),
            N_("They belong to {owner}."),
        ),
        (
            N_(
                "Remove or update the cuDNN of the system if no other program needs it, or update"
                " {program}."
            ),
        ),
    ),
    "cudnn-links-missing": Text(
        "cudnn",
        N_("{product} lacks the name programs ask for"),
        (
            N_(
                "Programs ask for {file}, a link to the file itself. In {folder} there is only"
                " {there}: links get lost when files are copied one by one."
            ),
        ),
        (N_("Have the links made again."),),
    ),
    "cudnn-main-file-alone": Text(
        "cudnn",
        N_("Most files of cuDNN are missing"),
        (
            N_(
                "{program} brings cuDNN's main file {file} alone; the files it opens next come with"
                " cuDNN itself, and there is none it could find."
            ),
        ),
        (N_("Install {product} as a package in this Python environment."),),
    ),
    "cudnn-main-file-differs": Text(
        "cudnn",
        N_("Two versions of cuDNN meet in one program"),
        (
            N_(
                "{program} opens a main file of cuDNN {old}, which goes with the other files of"
                " cuDNN {new} in {folder}."
            ),
        ),
        (
            N_(
                "Install the cuDNN of the same version in this environment, or give {program} an"
                " environment of its own."
            ),
        ),
    ),
    "cudnn-part-missing": Text(
        "cudnn",
        N_("{product} lacks the file {file}"),
        (
            N_("cuDNN consists of several files, and this one isn't in {folder}."),
            N_("Programs stop when they need it."),
        ),
        (
            N_("Use a whole copy of {again} instead. Nothing is removed."),
            N_("Take {entry} out of {list}, a list of folders that are searched first."),
        ),
    ),
    "cudnn-part-missing:manual": Text(
        "cudnn",
        N_("{product} lacks the file {file}"),
        (
            N_("cuDNN consists of several files, and this one isn't in {folder}."),
            N_("Programs stop when they need it."),
        ),
        (
            N_("Install {again} again from where it came."),
            N_("It belongs to {owner}."),
            N_("Take {entry} out of {list}, a list of folders that are searched first."),
            N_("It is put there in {place}."),
        ),
    ),
    "cudnn-damaged": Text(
        "cudnn",
        N_("A file of {product} is damaged"),
        (N_("{file} in {folder} isn't whole, as after an interrupted download or copy."),),
        (
            N_("Use a whole copy of {again} instead. Nothing is removed."),
            N_("Take {entry} out of {list}, a list of folders that are searched first."),
        ),
    ),
    "cudnn-damaged:manual": Text(
        "cudnn",
        N_("A file of {product} is damaged"),
        (N_("{file} in {folder} isn't whole, as after an interrupted download or copy."),),
        (
            N_("Install {again} again from where it came."),
            N_("It belongs to {owner}."),
            N_("Take {entry} out of {list}, a list of folders that are searched first."),
            N_("It is put there in {place}."),
        ),
    ),
    "cudnn-unreadable": Text(
        "cudnn",
        N_("You may not read {file}"),
        (N_("The file belongs to {product} in {folder}, and your account may not open it."),),
        (N_("Let everybody read this file."),),
    ),
    "cudnn-mixed-versions": Text(
        "cudnn",
        N_("Files of different cuDNN versions are mixed"),
        (
            N_("All files of cuDNN must be of one version."),
            N_("In {folder} there are {versions}."),
            N_("Programs stop or compute wrong results with such a mix."),
        ),
        (
            N_("Use a copy of {again} that is all of one version. Nothing is removed."),
            N_("Take {entry} out of {list}, a list of folders that are searched first."),
        ),
    ),
    "cudnn-mixed-versions:manual": Text(
        "cudnn",
        N_("Files of different cuDNN versions are mixed"),
        (
            N_("All files of cuDNN must be of one version."),
            N_("In {folder} there are {versions}."),
            N_("Programs stop or compute wrong results with such a mix."),
        ),
        (
            N_("Install {again} again from where it came."),
            N_("It belongs to {owner}."),
            N_("Take {entry} out of {list}, a list of folders that are searched first."),
            N_("It is put there in {place}."),
        ),
    ),
    "cudnn-renamed": Text(
        "cudnn",
        N_("{file} is really {product}"),
        (
            N_(
                "A file of one cuDNN was given the name of another, in {folder}. Programs then"
                " stop at its first use."
            ),
        ),
        (N_("Use a copy of cuDNN whose files have their own names. Nothing is removed."),),
    ),
    "cudnn-wrong-architecture": Text(
        "cudnn",
        N_("{product} is for another kind of processor"),
        (N_("The copy in {folder} is made for {made}; this computer is {here}."),),
        (N_("Use a copy of cuDNN for this kind of computer. Nothing is removed."),),
    ),
    "cudnn-wrong-cuda-major": Text(
        "cudnn",
        N_("{product} is made for another CUDA"),
        (
            N_(
                "The copy in {folder} works only with the libraries of CUDA {made}, and programs"
                " find those of CUDA {cuda}."
            ),
        ),
        (
            N_(
                "Install the cuDNN for CUDA {cuda} from NVIDIA in a folder of our own. Nothing is"
                " removed."
            ),
        ),
        (_UNDO_INSTALL,),
    ),
    "cudnn-wrong-cuda-major:manual": Text(
        "cudnn",
        N_("{product} is made for another CUDA"),
        (
            N_(
                "The copy in {folder} works only with the libraries of CUDA {made}, and programs"
                " find those of CUDA {cuda}."
            ),
        ),
        (N_("Install the libraries of CUDA {made} beside the others."),),
    ),
    "gpu-too-old-for-cudnn": Text(
        "cudnn",
        N_("{product} no longer supports this GPU"),
        (N_("{gpu} is older than the GPUs that cuDNN 9.11 and later can use."),),
        (
            N_(
                "Install cuDNN 9.10.2, the last one for this GPU, in a folder of our own. The"
                " newer one stays where it is."
            ),
        ),
        (_UNDO_INSTALL,),
    ),
    "gpu-too-old-for-cudnn:manual": Text(
        "cudnn",
        N_("{product} no longer supports this GPU"),
        (N_("{gpu} is older than the GPUs that cuDNN 9.11 and later can use."),),
        (N_("Use an older release of {program} that brings cuDNN 9.10 or older."),),
        way_out=N_("Save report…"),
    ),
    "gpu-too-new-for-cudnn": Text(
        "cudnn",
        N_("{product} is older than this GPU"),
        (N_("{gpu} came out later and needs a newer cuDNN."),),
        (N_("Install a newer cuDNN. The older one stays where it is."),),
    ),
    "zlibwapi-missing": Text(
        "cudnn",
        N_("{product} lacks the file zlibwapi.dll"),
        (
            N_(
                "{product} loads this helper when it starts; it isn't in any folder on {absent},"
                " the list of folders Windows searches."
            ),
            N_(
                "{product} loads this helper when it starts, and the one that Windows finds,"
                " {other}, is made for 32-bit programs."
            ),
        ),
        (
            N_(
                "Open NVIDIA's instructions for this file, or move to cuDNN 9.2 or newer, which"
                " doesn't need it."
            ),
        ),
        way_out=N_("Open NVIDIA's instructions"),
    ),
    "cudnn-header-differs": Text(
        "cudnn",
        N_("Header and library of cuDNN differ"),
        (
            N_(
                "Programs built here are made for cuDNN {header}, but get {product} from {folder}."
                " Only people who build programs need to care."
            ),
        ),
        (N_("Nothing needs to be done to run programs."),),
    ),
    "cudnn-package-missing": Text(
        "cudnn",
        N_("A Python package of cuDNN is missing"),
        (N_("{program} needs the package {package}, and it isn't in {where}."),),
        (N_("Install the package in this environment, in the version that {program} asks for."),),
        (_UNDO_PIP,),
    ),
    "cudnn-package-wrong-major": Text(
        "cudnn",
        N_("Python has the wrong version of cuDNN"),
        (N_("{program} needs {package}{wants}; in {where} there is {has}."),),
        (N_("Install the version that {program} asks for in this environment."),),
        (_UNDO_PIP,),
    ),
    "cudnn-package-differs": Text(
        "cudnn",
        N_("Python has another cuDNN than it asks for"),
        (N_("{program} needs {package}{wants}; in {where} there is {has}."),),
        (N_("Install the version that {program} asks for in this environment."),),
        (_UNDO_PIP,),
    ),
}
