"""Words about Python frameworks and about what the test itself shows."""

from __future__ import annotations

from cudnn_assistant.wording.language import N_
from cudnn_assistant.wording.text import Text

_UNDO_PIP = N_("The present versions are kept and can be put back.")
_REPORT = N_(
    "Save the report and give it to whoever helps you: it can be examined on another computer."
)

PROGRAMS: dict[str, Text] = {
    "cpu-only-framework": Text(
        "python",
        (N_("{program} is installed without GPU support"),),
        (
            N_(
                "The build in {where} has no code for GPUs, so it never asks for cuDNN. Nothing is"
                " wrong with cuDNN itself."
            ),
        ),
        (N_("Install the build for NVIDIA GPUs in this environment."),),
        (_UNDO_PIP,),
    ),
    "cpu-only-framework:manual": Text(
        "python",
        (N_("{program} is installed without GPU support"),),
        (
            N_(
                "The build in {where} has no code for GPUs, so it never asks for cuDNN. Nothing is"
                " wrong with cuDNN itself."
            ),
        ),
        (
            N_(
                "Choose the build for CUDA on the makers' page and install it in this environment;"
                " the page shows the exact command."
            ),
        ),
        way_out=N_("Open the makers' page"),
    ),
    "tensorflow-on-windows": Text(
        "python",
        N_("{program} can't use GPUs on Windows"),
        (
            N_(
                "TensorFlow 2.10 was the last one with GPU support on Windows. Installing CUDA or"
                " cuDNN doesn't change that."
            ),
        ),
        (
            N_(
                "Use TensorFlow in WSL 2, the part of Windows that runs Linux programs, or"
                " TensorFlow 2.10 with Python 3.10, or another framework."
            ),
        ),
    ),
    "tensorflow-without-packages": Text(
        "python",
        N_("{program} lacks its CUDA packages"),
        (
            N_(
                "In {where} TensorFlow was installed without the packages that hold CUDA and cuDNN"
                " for it, and the system has none that it can use."
            ),
        ),
        (N_("Install the same release again together with these packages."),),
        (_UNDO_PIP,),
    ),
    "jax-without-packages": Text(
        "python",
        N_("{program} lacks its CUDA packages"),
        (
            N_(
                "In {where} JAX was installed without the packages that hold CUDA and cuDNN for"
                " its plugin, and the system has none that it can use."
            ),
        ),
        (N_("Install the same release again together with these packages."),),
        (_UNDO_PIP,),
    ),
    "onnxruntime-without-packages": Text(
        "python",
        N_("{program} lacks its CUDA packages"),
        (
            N_(
                "In {where} it was installed without the packages that hold CUDA and cuDNN for it,"
                " and the system has no CUDA that it can use."
            ),
        ),
        (
            N_(
                "Install the same release again together with these packages. The CUDA Toolkit"
                " isn't needed."
            ),
            N_(
                "Then call {call} in your program, after the import and before the first session"
                " is made: it doesn't look for them there by itself."
            ),
        ),
        (_UNDO_PIP,),
    ),
    "jax-on-windows": Text(
        "python",
        N_("{program} can't use GPUs on Windows"),
        (N_("Its makers offer GPU packages for Linux only."),),
        (N_("Use JAX in WSL 2, the part of Windows that runs Linux programs."),),
    ),
    "onnxruntime-twice": Text(
        "python",
        N_("ONNX Runtime is installed twice"),
        (
            N_(
                "onnxruntime-gpu and {other} write into the same folder of {where}. Whichever came"
                " last has overwritten the other."
            ),
        ),
        (N_("Remove both and install onnxruntime-gpu again."),),
    ),
    "gpu-too-new-for-framework": Text(
        "python",
        N_("{program} is older than this GPU"),
        (N_("The build in {where} has no code for {gpu}, which came out later."),),
        (N_("Install a newer build in this environment."),),
        way_out=N_("Open the makers' page"),
    ),
    "gpu-too-old-for-framework": Text(
        "python",
        N_("{program} no longer supports this GPU"),
        (N_("The build in {where} has no code for GPUs as old as {gpu}."),),
        (N_("Install an older release, or a build for an older CUDA, in this environment."),),
        way_out=N_("Open the makers' page"),
    ),
    "two-cudnn-packages": Text(
        "python",
        N_("Two cuDNN packages share one folder"),
        (N_("{keep} and {other} overwrite each other's files in {where}."),),
        (N_("Remove {other} and install {keep} again."),),
    ),
    "package-incomplete": Text(
        "python",
        N_("Files of a Python package are gone"),
        (
            N_(
                "{package} in {where} lists {count} library files that aren't there. Another"
                " installation or a virus scanner may have removed them."
            ),
            N_("{record} is installed in {where} by its record, but its libraries are gone."),
            N_("{slim} in {where} was made smaller: {spare} is gone, which programs rarely use."),
        ),
        (N_("Install the same version of this package again."),),
        (_UNDO_PIP,),
    ),
    "placeholder-package": Text(
        "python",
        N_("{package} is an empty package"),
        (N_("It only reserves its name. The library is in {real}."),),
        (N_("Nothing needs to be done if your programs work."),),
    ),
    "framework-needs-packages": Text(
        "python",
        N_("{program} lacks packages it asks for"),
        (N_("{package} in {where} is missing or of another version than it needs."),),
        (N_("Install the versions that it asks for in this environment."),),
        (_UNDO_PIP,),
    ),
    "jax-plugin-differs": Text(
        "python",
        N_("JAX and its GPU part differ in version"),
        (
            N_("In {where}, {package} is version {has}, and jaxlib is {library}."),
            N_("JAX takes its GPU part only in the same version. Now it runs without the GPU."),
        ),
        (N_("Install both in the same version in this environment."),),
        (_UNDO_PIP,),
    ),
    "frameworks-disagree": Text(
        "python",
        N_("Two frameworks need different cuDNN versions"),
        (
            N_(
                "In {where}, {one} needs cuDNN {low} and {other} needs cuDNN {high}. In one"
                " program they get in each other's way."
            ),
        ),
        (N_("Give each its own Python environment, or choose releases that need the same one."),),
    ),
    "tensorflow-216": Text(
        "python",
        N_("{program} doesn't find its own cuDNN"),
        (N_("Releases 2.16 don't look into the folders of the packages that they bring."),),
        (N_("Install TensorFlow 2.17.1, where this is mended, in this environment."),),
        (_UNDO_PIP,),
    ),
    "python-32-bit": Text(
        "python",
        N_("This Python is a 32-bit program"),
        (N_("cuDNN exists only for 64-bit programs, so the Python in {where} can't load it."),),
        (N_("Install the 64-bit Python and set the environment up with it."),),
        way_out=N_("Open Python's page"),
    ),
    "environment-python-gone": Text(
        "python",
        N_("The Python of this environment is gone"),
        (
            N_(
                "{where} was made with a Python that has been removed or replaced since, so nothing"
                " in it can start."
            ),
        ),
        (N_("Set the environment up again with a Python that is there."),),
    ),
    "store-python": Text(
        "python",
        N_("This Python comes from Microsoft's Store"),
        (
            N_(
                "It searches for libraries in fewer folders than others, and some programs then"
                " don't find CUDA or cuDNN."
            ),
        ),
        (N_("If a program can't find them, use the Python from python.org."),),
        way_out=N_("Open Python's page"),
    ),
    "user-packages-first": Text(
        "python",
        N_("Another {program} comes first"),
        (
            N_(
                "Packages in your own folder {folder} stand before those of {where}, so that"
                " programs get the other one."
            ),
            N_("That one, {slower}, is built without GPU support."),
        ),
        (N_("If that isn't wanted, start Python with PYTHONNOUSERSITE=1."),),
    ),
    "windows-on-arm": Text(
        "python",
        N_("Few programs use GPUs on this Windows"),
        (N_("This is Windows on an ARM processor, for which few GPU builds exist yet."),),
        (N_("Look on the program's page for a build for Windows on ARM with CUDA."),),
    ),
    "cupy-without-cudnn": Text(
        "python",
        N_("{program} no longer uses cuDNN"),
        (N_("From release 14 on CuPy works without cuDNN."),),
        (N_("Nothing needs to be done. Programs that need it can use CuPy 13."),),
    ),
    "cublas-missing-in-environment": Text(
        "cuda",
        N_("Python lacks NVIDIA's cuBLAS"),
        (N_("cuDNN works together with cuBLAS, and {file} wasn't found."),),
        (
            N_("Install its package in this environment."),
            N_("{program} then needs one more setting: check again, and its line is shown."),
        ),
        (_UNDO_PIP,),
    ),
    "cublas-not-searched": Text(
        "cuda",
        N_("Python's cuBLAS is in an unsearched folder"),
        (
            N_(
                "{program} asks Linux for {file}, and Linux doesn't look into the folder of that"
                " package, {folder}."
            ),
        ),
        (N_("Tell Linux of the folder before you start programs of this environment."),),
    ),
    "nvrtc-missing-in-environment": Text(
        "cuda",
        N_("Python lacks NVIDIA's NVRTC"),
        (N_("cuDNN builds some of its code with NVRTC, and {file} wasn't found."),),
        (N_("Install its package in this environment."),),
        (_UNDO_PIP,),
    ),
    "vc-runtime-missing": Text(
        "trial",
        N_("Microsoft's Visual C++ files are missing"),
        (N_("Programs need {file}, which belongs to Microsoft's Visual C++ Redistributable."),),
        (N_("Install it from Microsoft."),),
    ),
    "openmp-missing": Text(
        "trial",
        N_("Windows can't find {file}"),
        (N_("Some releases of PyTorch need this file and don't bring it."),),
        (
            N_(
                "Install a newer PyTorch, or Microsoft's Visual C++ Redistributable with the"
                " OpenMP libraries."
            ),
        ),
    ),
    "zlib-missing": Text(
        "trial",
        N_("Linux lacks the library zlib"),
        (N_("cuDNN needs {file}, which most systems have from the start."),),
        (N_("Install its package."),),
    ),
    "libcuda-name-missing": Text(
        "trial",
        N_("cuDNN 8 can't find the driver"),
        (
            N_(
                "It asks for {file}, a second name of the driver's library that isn't in the"
                " folders that are searched. The driver is the software that lets programs use the"
                " GPU."
            ),
        ),
        (N_("Let programs find that name, or move to cuDNN 9, which doesn't ask for it."),),
    ),
    "library-missing": Text(
        "trial",
        N_("A library wasn't found: {file}"),
        (N_("cuDNN, or a library that it needs, asks for this file and stops without it."),),
        (N_("Install the program or package that it belongs to."),),
        way_out=N_("Save report…"),
    ),
    "c-library-too-old": Text(
        "trial",
        N_("This Linux is too old for cuDNN"),
        (N_("cuDNN needs version {needed} of the C library; this system has {has}."),),
        (N_("Use a newer Linux, a container with one, or an older release of the program."),),
    ),
    "musl-system": Text(
        "trial",
        N_("NVIDIA makes no cuDNN for this Linux"),
        (N_("{system} uses the C library musl, and NVIDIA's libraries need glibc."),),
        (N_("Use a container or another Linux with glibc, such as Debian or Ubuntu."),),
    ),
    "driver-too-old-for-code": Text(
        "trial",
        N_("The driver is too old for this program"),
        (
            N_(
                "A part of the program is built on this computer by the driver, the software that"
                " lets programs use the GPU, and driver {driver} doesn't know that newer code."
            ),
        ),
        (N_("Install the newest driver, then restart the computer."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "gpu-reset-by-watchdog": Text(
        "trial",
        N_("The system stopped a long GPU calculation"),
        (N_("A GPU that also drives a screen may not compute for long without a pause."),),
        (N_("Use smaller batches, or another GPU for the screen."),),
    ),
    "gpu-wrong-numbers": Text(
        "trial",
        N_("The GPU computes wrong numbers"),
        (N_("The test ran to its end, but the results of {gpu} differ from the processor's."),),
        (N_("Undo any overclocking and check again. If it stays, the card may be damaged."),),
    ),
    "gpu-faulted": Text(
        "trial",
        N_("The GPU itself stopped the test"),
        (
            N_("{gpu} reported a fault while it computed the test's few numbers."),
            N_("Such faults come from overclocking, heat, too little power, or a damaged card."),
        ),
        (N_("Undo any overclocking, restart and check again. If it stays, try another card."),),
    ),
    "cpu-too-old": Text(
        "trial",
        N_("The processor may be too old"),
        (N_("The test stopped at an instruction that this processor doesn't have."),),
        (_REPORT,),
    ),
    "computer-memory-full": Text(
        "trial",
        N_("The computer's own memory is used up"),
        (
            N_(
                "The libraries couldn't be loaded for lack of memory; the GPU has"
                " nothing to do with it."
            ),
        ),
        (N_("Close programs and check again. On Windows, a larger page file helps."),),
    ),
    "library-blocked": Text(
        "trial",
        N_("Windows doesn't allow a library to load"),
        (N_("A protection rule of this computer blocks {file}."), N_("Programs then stop.")),
        (N_("Ask whoever looks after this computer to allow it."),),
    ),
    "framework-takes-all-memory": Text(
        "python",
        N_("{program} wants all GPU memory at once"),
        (
            N_(
                "It reserves nearly the whole memory of the GPU when it starts, and nothing is"
                " left for cuDNN or other programs. With the setting below it works."
            ),
        ),
        (N_("Start it with this setting; then it takes memory as it needs it."),),
    ),
    "setting-stops-framework": Text(
        "python",
        N_("A setting keeps {program} from working"),
        (
            N_("It stops with {variable} as it is set now, and works without it."),
            N_("{folders} is a list of folders that programs search first."),
            N_("{gpus} lists the GPUs that programs may see."),
        ),
        (N_("Remove the setting {variable}."),),
    ),
    "setting-stops-framework:manual": Text(
        "python",
        N_("A setting keeps {program} from working"),
        (
            N_("It stops with {variable} as it is set now, and works without it."),
            N_("{folders} is a list of folders that programs search first."),
            N_("{gpus} lists the GPUs that programs may see."),
        ),
        (
            N_("Remove {variable} where it is set, and open a new terminal."),
            N_("That is in {place}."),
        ),
    ),
    "framework-must-preload": Text(
        "python",
        N_("{program} doesn't load its packages itself"),
        (
            N_(
                "The CUDA libraries and cuDNN are there as packages of {where}, and {program}"
                " doesn't look for them there by itself. When they were loaded first, it worked."
            ),
        ),
        (
            N_(
                "Call {call} in your program, after the import and before the first session is"
                " made."
            ),
        ),
    ),
    "framework-stopped": Text(
        "python",
        N_("cuDNN works, but {program} stops"),
        (
            N_(
                "cuDNN itself passed its test. The same calculation inside {program} stopped, and"
                " we couldn't find the reason."
            ),
        ),
        (_REPORT,),
    ),
    "library-refused": Text(
        "trial",
        N_("A library is there but can't be loaded"),
        (N_("The loader of the system refuses {file}. Details hold what it said."),),
        (_REPORT,),
    ),
    "folder-forbids-programs": Text(
        "trial",
        N_("Linux forbids programs in this folder"),
        (
            N_(
                "The disk or share with {folder} was most likely attached with the option noexec,"
                " with which nothing on it may run or be loaded."
            ),
        ),
        (
            N_("Put cuDNN, or the whole Python environment, into a folder on another disk."),
            N_("How this one was attached can be asked in a terminal."),
        ),
    ),
    "driver-starts-slowly": Text(
        "trial",
        N_("The driver takes long to wake up"),
        (
            N_(
                "Getting the GPU ready took {seconds} seconds, because the driver, which lets"
                " programs use the GPU, sleeps between programs."
            ),
        ),
        (N_("If that bothers you, keep it awake with NVIDIA's persistence service."),),
    ),
    "first-run-slow": Text(
        "trial",
        N_("The first start took long"),
        (N_("cuDNN needed {seconds} seconds, most likely to build code for this GPU."),),
        (N_("Nothing needs to be done. The next start is faster."),),
    ),
    "one-gpu-stopped": Text(
        "trial",
        N_("One GPU didn't pass the test"),
        (N_("cuDNN works on another GPU, but the test stopped on {gpu}."),),
        (_REPORT,),
    ),
    "unexplained": Text(
        "trial",
        N_("cuDNN still doesn't start"),
        (
            N_("All files and settings look right, but the test stopped while {doing}."),
            N_("We couldn't find the reason."),
        ),
        (_REPORT,),
    ),
    "test-timed-out": Text(
        "trial",
        N_("The test took too long"),
        (
            N_(
                "It was stopped without an answer. The first start of cuDNN can take a minute when"
                " its code must be built for a new GPU."
            ),
        ),
        (N_("Check again. If it happens again, save the report."),),
    ),
}
