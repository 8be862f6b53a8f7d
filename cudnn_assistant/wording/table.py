"""All words about findings, by code. The only place where a finding becomes prose.

Keys are codes, or "code@windows", "code:manual", "code:manual@linux" where the same code needs
other words for a system or a kind of remedy. Rules for words: design 1.4.
"""

from __future__ import annotations

from cudnn_assistant.wording.language import N_
from cudnn_assistant.wording.table_libraries import LIBRARIES
from cudnn_assistant.wording.table_programs import PROGRAMS
from cudnn_assistant.wording.text import Text

_PATH_IS = N_("PATH is the list of folders Windows searches when a program starts.")
_DRIVER_IS = N_("The driver is the software that lets programs use the GPU.")
_RUN = N_("Run the command in a terminal.")
_RESTART = N_("Then restart the computer.")

HARDWARE: dict[str, Text] = {
    "no-nvidia-gpu": Text(
        "gpu",
        N_("This computer has no NVIDIA GPU"),
        (N_("cuDNN runs only on NVIDIA GPUs."), N_("{system} reports: {others}.")),
        (
            N_(
                "No setting can change this. Many programs have a slower mode without a GPU;"
                " look for “CPU” in their settings."
            ),
        ),
    ),
    "gpu-too-old": Text(
        "gpu",
        N_("This GPU is too old for cuDNN"),
        (N_("{gpu} was made before the GPUs that cuDNN can use."),),
        (
            N_(
                "No setting can change this. Programs can still use their slower mode"
                " without a GPU."
            ),
        ),
    ),
    "wsl-version-1": Text(
        "gpu",
        N_("This Linux runs in WSL 1, without GPU"),
        (
            N_(
                "WSL is the part of Windows that runs Linux programs. Only its version 2 can"
                " use the GPU."
            ),
        ),
        (N_("Change this Linux to WSL 2 from a Windows terminal."),),
    ),
    "wsl-no-gpu": Text(
        "gpu",
        N_("Windows gives WSL no GPU"),
        (
            N_(
                "WSL, which runs Linux programs on Windows, uses the GPU through Windows."
                " Windows offers none, most often because Windows, WSL or the NVIDIA driver"
                " for Windows is too old."
            ),
        ),
        (N_("Install updates for Windows, its NVIDIA driver and WSL, then start Linux again."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "container-no-gpu": Text(
        "gpu",
        N_("This container was started without a GPU"),
        (
            N_(
                "Programs in a container (a closed-off part of a computer) see only what it was"
                " given at its start."
            ),
        ),
        (
            N_(
                "Start the container again with {flag}. The computer outside needs NVIDIA's"
                " container toolkit for that."
            ),
            N_(
                "If the computer outside has an NVIDIA GPU and NVIDIA's container toolkit, start"
                " the container again with {maybe}."
            ),
        ),
        way_out=N_("Open NVIDIA's instructions"),
    ),
    "container-no-compute": Text(
        "gpu",
        N_("This container may not compute on the GPU"),
        (
            N_(
                "NVIDIA_DRIVER_CAPABILITIES is “{value}”, which leaves the libraries for computing"
                " out of the container."
            ),
            N_("{absent} isn't set, so the container got no libraries for computing."),
            N_(
                "The container sees the GPU, but not the driver's libraries, which {flag} would"
                " bring along."
            ),
        ),
        (
            N_("Start the container again with compute and utility in {setting}."),
            N_("Start the container again with {flag}."),
        ),
        way_out=N_("Open NVIDIA's instructions"),
    ),
    "sandbox-hides-gpu": Text(
        "gpu",
        N_("The {sandbox} sandbox hides the GPU"),
        (
            N_(
                "This program runs inside a {sandbox} sandbox, which may not show it the GPU of"
                " the computer."
            ),
        ),
        (N_("Start cuDNN Assistant outside the sandbox, or give the sandbox access to the GPU."),),
    ),
    "gpu-switched-off": Text(
        "gpu",
        N_("The NVIDIA GPU is switched off"),
        (
            N_(
                "{tool} has set this computer to the processor's own graphics, so that no program"
                " can use the NVIDIA GPU."
            ),
            N_("{file} keeps the NVIDIA driver from starting, so that no program can use the GPU."),
        ),
        (
            N_("Set {tool} to the NVIDIA GPU, then restart the computer."),
            N_("If that isn't wanted, take the line out of {file} and restart the computer."),
        ),
    ),
    "gpu-disabled": Text(
        "gpu",
        N_("The GPU is switched off in Device Manager"),
        (N_("Windows was told not to use {gpu}."), N_("No program can use it until that changes.")),
        (
            N_(
                "Open Device Manager, find the GPU under “Display adapters”, right-click it and"
                " choose “Enable device”."
            ),
        ),
    ),
    "gpu-lost": Text(
        "gpu",
        N_("The GPU lost its connection to the computer"),
        (
            N_(
                "It was there and then stopped answering. Usual reasons are power, heat, a loose"
                " card or a worn-out one."
            ),
        ),
        (
            N_(
                "Switch the computer off, wait a minute and switch it on. If it happens again,"
                " check the power cables and the seat of the card, and undo any overclocking."
            ),
        ),
    ),
    "gpu-does-not-start": Text(
        "gpu",
        N_("The driver can't start the GPU"),
        (
            N_("{gpu} is in the computer, but it doesn't answer when the driver starts it."),
            _DRIVER_IS,
        ),
        (
            N_(
                "Restart the computer. If that doesn't help, install the newest driver and the"
                " newest BIOS, and switch on “Above 4G decoding” in the BIOS settings."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "gpu-memory-faulty": Text(
        "gpu",
        N_("The memory of the GPU is damaged"),
        (N_("{gpu} found memory faults that it can't repair, so results can be wrong."),),
        (N_("Have the card examined or replaced. The report holds the counts that help there."),),
    ),
    "gpu-memory-needs-restart": Text(
        "gpu",
        N_("The GPU needs a restart after memory faults"),
        (N_("{gpu} found memory faults and sets the bad places aside when it starts again."),),
        (N_("Restart the computer. If the faults come back, have the card examined."),),
    ),
    "gpu-firmware-stopped": Text(
        "gpu",
        N_("The GPU stopped answering its driver"),
        (
            N_("The processor inside {gpu} that talks to the driver stopped (Details say when)."),
            _DRIVER_IS,
        ),
        (N_("Restart the computer. If it happens again, install another driver version."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "gpu-asleep": Text(
        "gpu",
        N_("The NVIDIA GPU is asleep"),
        (N_("To save power, the laptop switches {gpu} off while no program uses it."),),
        (N_("Nothing needs to be done. It wakes up when a program wants it."),),
    ),
    "gpu-slowed-down": Text(
        "gpu",
        N_("Heat or power slows the GPU down"),
        (N_("{gpu} runs below its speed at this moment to protect itself."),),
        (N_("Check fans, dust, room and power cables. Nothing needs to be changed in software."),),
    ),
    "gpu-hidden": Text(
        "gpu",
        N_("A setting hides the GPU from programs"),
        (
            N_("CUDA_VISIBLE_DEVICES lists the GPUs that programs may see."),
            N_("Its value “{value}” leaves none."),
        ),
        (N_("Remove this setting. Programs then see all GPUs."),),
    ),
    "gpu-hidden:manual": Text(
        "gpu",
        N_("A setting hides the GPU from programs"),
        (
            N_("CUDA_VISIBLE_DEVICES lists the GPUs that programs may see."),
            N_("Its value “{value}” leaves none."),
            N_("It is set in {place}."),
        ),
        (N_("Remove the setting where it is made, and open a new terminal."),),
    ),
    "job-without-gpu": Text(
        "gpu",
        N_("This job was given no GPU"),
        (
            N_("{scheduler} decides which GPUs a job may use, and gave this one none."),
            N_("It says so in {variable}, which is right as it is."),
        ),
        (N_("Start the job again and ask {scheduler} for a GPU."),),
    ),
    "mig-without-parts": Text(
        "gpu",
        N_("The GPU is split but has no parts"),
        (
            N_(
                "MIG, which divides one GPU into several, is on for {gpu}, and no part was made."
                " So programs find no GPU."
            ),
        ),
        (N_("Make parts, or switch MIG off and restart."),),
    ),
    "gpu-dropped-by-driver": Text(
        "gpu",
        N_("This driver no longer supports the GPU"),
        (
            N_("Driver {driver} is made for newer cards; the last driver for {gpu} is {branch}."),
            _DRIVER_IS,
        ),
        (N_("Install driver {branch} for this GPU instead, then restart the computer."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "gpu-needs-open-module": Text(
        "gpu",
        N_("The GPU needs the driver's open variant"),
        (
            N_(
                "NVIDIA makes two variants of its Linux driver, and {gpu} runs only"
                " with the open one."
            ),
        ),
        (N_("Install the package with “open” in its name, of the same version, then restart."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "gpu-needs-closed-module": Text(
        "gpu",
        N_("The GPU can't use the driver's open variant"),
        (N_("NVIDIA makes two variants of its Linux driver; {gpu} is too old for the open one."),),
        (N_("Install driver 580 or older without “open” in its name, then restart."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "driver-restart-pending": Text(
        "gpu",
        N_("Windows needs a restart for the driver"),
        (
            N_(
                "The NVIDIA driver, which lets programs use the GPU, was installed or updated,"
                " and Windows still has to finish that."
            ),
        ),
        (N_("Choose Restart in the Start menu. Shutting down is not enough."),),
    ),
    "driver-damaged": Text(
        "gpu",
        N_("Windows can't start the NVIDIA driver"),
        (
            N_(
                "The driver, which lets programs use the GPU, is installed, but its parts don't"
                " work together or the GPU didn't answer."
            ),
            N_("Device Manager shows code {number}."),
        ),
        (
            N_(
                "Install the driver again from NVIDIA and tick “clean installation”, then restart."
                " If the code stays, try the card in another computer."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "driver-missing": Text(
        "gpu",
        N_("There is no NVIDIA driver"),
        (
            N_("The driver is the software that lets programs use the GPU."),
            N_("{gpu} is in the computer, but its driver isn't installed."),
            N_("Neither CUDA nor cuDNN brings it."),
        ),
        (N_("Install the driver from NVIDIA, then restart the computer."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "driver-missing@linux": Text(
        "gpu",
        N_("There is no NVIDIA driver"),
        (
            N_("The driver is the software that lets programs use the GPU."),
            N_("{gpu} is in the computer, but its driver isn't installed."),
            N_("Neither CUDA nor cuDNN brings it."),
        ),
        (
            N_(
                "Install the driver with the package manager of your Linux, then restart the"
                " computer."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "nouveau-active": Text(
        "gpu",
        (N_("Another driver holds {gpu}"), N_("Another driver holds the NVIDIA GPU")),
        (
            N_(
                "Linux runs the GPU with {holder}, a free driver that can't run CUDA programs."
                " The NVIDIA driver can't start beside it."
            ),
            N_(
                "Linux runs this GPU with {held}, a free driver that can't run CUDA programs."
                " They use another GPU."
            ),
        ),
        (
            N_("Keep {holder} from starting, then restart the computer."),
            N_("If CUDA programs are to use it too, keep {held} from starting, then restart."),
        ),
    ),
    "gpu-kept-for-vm": Text(
        "gpu",
        N_("The GPU is kept for a virtual machine"),
        (N_("{holder} holds it, so that no program on this system can use it."),),
        (
            N_(
                "If that isn't wanted, take the GPU out of the {holder} settings and restart."
                " Otherwise use cuDNN inside the virtual machine."
            ),
        ),
    ),
    "driver-module-not-built": Text(
        "gpu",
        N_("The NVIDIA driver doesn't fit this kernel"),
        (
            N_(
                "The kernel, the heart of Linux, was updated to {kernel}, and the driver was not"
                " built for it."
            ),
            _DRIVER_IS,
        ),
        (N_("Build the driver for this kernel, then restart. Or start the previous kernel."),),
    ),
    "secure-boot-blocks-driver": Text(
        "gpu",
        N_("Secure Boot keeps the NVIDIA driver out"),
        (
            N_(
                "Secure Boot lets Linux load only drivers with a known signature, and the one of"
                " this driver is not known yet."
            ),
        ),
        (
            N_(
                "Enrol the driver's key: choose a password, restart, and confirm it on the blue"
                " screen. Or use the driver package that your Linux has signed."
            ),
        ),
    ),
    "driver-module-not-loaded": Text(
        "gpu",
        N_("The NVIDIA driver isn't running"),
        (N_("It is installed for this kernel, but Linux has not loaded it."), _DRIVER_IS),
        (N_("Load it, or restart the computer."),),
    ),
    "driver-library-mismatch": Text(
        "gpu",
        N_("The NVIDIA driver was updated: restart needed"),
        (
            N_(
                "Linux still runs driver {kernel}, while programs already get the libraries of"
                " {library}. The two must be equal."
            ),
            _DRIVER_IS,
        ),
        (N_("Restart the computer."),),
        way_out=N_("Save report…"),
    ),
    "container-brings-driver": Text(
        "gpu",
        N_("The container's driver is not the computer's"),
        (
            N_(
                "The computer runs driver {kernel}, while programs in this container load the"
                " libraries of {library}. The two must be equal."
            ),
            _DRIVER_IS,
        ),
        (
            N_(
                "Start the container again if the driver of the computer was updated; otherwise"
                " take NVIDIA driver packages out of the container's image."
            ),
        ),
        way_out=N_("Open NVIDIA's instructions"),
    ),
    "driver-not-answering": Text(
        "gpu",
        N_("The NVIDIA driver doesn't answer"),
        (
            N_("It is installed, but it can't reach the GPU, and we couldn't find the reason."),
            _DRIVER_IS,
        ),
        (
            N_(
                "Restart the computer. If that doesn't help, save the report and give it to"
                " whoever helps you."
            ),
        ),
    ),
    "driver-monitor-missing": Text(
        "gpu",
        N_("A part of the NVIDIA driver is missing"),
        (
            N_(
                "Programs compute without it, but nvidia-smi, and programs that watch the GPU,"
                " need its file {file}."
            ),
        ),
        (
            N_(
                "Install that part of the driver, or the whole driver again, then restart the"
                " computer."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "driver-incomplete": Text(
        "gpu",
        N_("A part of the NVIDIA driver is missing"),
        (
            _DRIVER_IS,
            N_("It runs, but its file {file}, through which programs compute, isn't there."),
        ),
        (
            N_(
                "Install that part of the driver, or the whole driver again, then restart the"
                " computer."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "driver-not-searched": Text(
        "gpu",
        N_("Programs can't find the NVIDIA driver"),
        (
            _DRIVER_IS,
            N_(
                "Its library {file} is in {folder}, but Linux doesn't look into that folder when a"
                " program starts."
            ),
        ),
        (
            N_(
                "Add this one folder to LD_LIBRARY_PATH, a list of folders that programs search"
                " first. Nothing is removed."
            ),
        ),
        (N_("Undo takes the folder out again; your other entries stay as they are."),),
    ),
    "mps-not-answering": Text(
        "gpu",
        N_("The service that shares the GPU doesn't answer"),
        (
            N_(
                "Programs here are to share the GPU through NVIDIA's MPS, a service that doesn't"
                " run, or that belongs to somebody else."
            ),
        ),
        (
            N_("Start it, or let whoever looks after this computer do so."),
            N_("Where no program needs it, take the setting {variable} out."),
        ),
    ),
    "cuda-does-not-start": Text(
        "gpu",
        N_("The driver's part for computing doesn't start"),
        (
            N_("The driver lists {gpu}, but CUDA, its part for computing, refuses to start."),
            _DRIVER_IS,
        ),
        (
            N_(
                "Restart the computer. If that doesn't help, install the driver again; the page is"
                " below."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "wsl-cuda-does-not-start": Text(
        "gpu",
        N_("CUDA doesn't start inside WSL"),
        (
            N_(
                "WSL, which runs Linux programs on Windows, lists the GPU, but CUDA, the part of"
                " NVIDIA's driver that computes, refuses to start."
            ),
        ),
        (
            N_(
                "Install the newest driver on Windows (not in Linux), update WSL, and"
                " start it again."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "stub-library-loaded": Text(
        "gpu",
        N_("Programs load a placeholder, not the driver"),
        (
            N_(
                "{folder} holds empty stand-ins that are only for building programs. Because this"
                " folder is searched first, programs never reach the real NVIDIA driver."
            ),
        ),
        (
            N_(
                "Take this folder out of {variable}, a list of folders that programs search first."
                " Nothing else changes."
            ),
        ),
    ),
    "stub-library-loaded:manual": Text(
        "gpu",
        N_("Programs load a placeholder, not the driver"),
        (
            N_(
                "{folder} holds empty stand-ins that are only for building programs. Because this"
                " folder is searched first, programs never reach the real NVIDIA driver."
            ),
        ),
        (
            N_("Take the folder out of {variable}, a list of folders that programs search."),
            N_("It is put there in {place}."),
            N_("Then open a new terminal."),
        ),
    ),
    "stub-library-loaded:unknown": Text(
        "gpu",
        N_("Programs load a placeholder, not the driver"),
        (
            N_(
                "An empty stand-in, meant only for building programs, is loaded in place of the"
                " NVIDIA driver's own library."
            ),
            N_("It lies in {folder}."),
        ),
        (N_("Save the report and give it to whoever helps you."),),
    ),
    "stub-folder-searched": Text(
        "settings",
        N_("A folder of placeholders is searched"),
        (
            N_(
                "{folder} holds empty stand-ins for building programs. Some programs may load"
                " them instead of the NVIDIA driver."
            ),
            N_("It is put there in {place}."),
        ),
        (N_("Take this folder out of {variable}, a list of folders that programs search."),),
    ),
    "compat-library-used": Text(
        "gpu",
        N_("A compatibility library hides the real driver"),
        (
            N_(
                "Programs load the NVIDIA driver's library from {folder}. That one is for"
                " data-centre GPUs with an old driver and doesn't work here."
            ),
        ),
        (
            N_("Take this folder out of the search settings, or remove the package cuda-compat."),
            N_("It is put there in {place}."),
        ),
    ),
    "wsl-driver-missing": Text(
        "gpu",
        N_("Windows has no NVIDIA driver for WSL"),
        (
            N_(
                "WSL, which runs Linux programs on Windows, uses the NVIDIA driver of Windows,"
                " the software that lets programs use the GPU. It isn't there, or it is too old."
            ),
        ),
        (
            N_(
                "Install the newest driver on Windows (not in Linux), update WSL, and"
                " start it again."
            ),
        ),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "wsl-linux-driver": Text(
        "gpu",
        N_("A Linux driver hides the one of Windows"),
        (
            N_(
                "In WSL, which runs Linux programs on Windows, only the NVIDIA driver of Windows"
                " works. Here programs load {library} instead."
            ),
        ),
        (N_("Remove the NVIDIA driver packages inside Linux. Keep the driver of Windows."),),
        way_out=N_("Open NVIDIA's instructions"),
    ),
    "wsl-gpu-blocked": Text(
        "gpu",
        N_("Windows keeps its GPU from WSL"),
        (
            N_(
                "WSL, which runs Linux programs on Windows, asks Windows for the GPU and is"
                " refused. Usual reasons are an old driver on Windows, an old WSL, or a GPU in"
                " computing-only (TCC) mode."
            ),
        ),
        (N_("Update the NVIDIA driver of Windows and WSL, then start WSL again."),),
        way_out=N_("Open NVIDIA's driver page"),
    ),
    "device-permission": Text(
        "gpu",
        N_("Your account may not use the GPU"),
        (N_("Linux doesn't let you open {path}, through which programs reach the GPU."),),
        (N_("Add your account to the group {group}, then sign out and in again."),),
    ),
    "device-permission-container": Text(
        "gpu",
        N_("This container may not open the GPU"),
        (
            N_(
                "{path}, through which programs reach the GPU, is in the container, but it can't"
                " be opened."
            ),
        ),
        (
            N_(
                "Start the container again. If it happens again later, give it the GPU through"
                " NVIDIA's CDI, as their instructions show."
            ),
        ),
        way_out=N_("Open NVIDIA's instructions"),
    ),
    "uvm-missing": Text(
        "gpu",
        N_("A part of the NVIDIA driver isn't running"),
        (
            N_(
                "CUDA programs need the driver's part nvidia-uvm, which shares memory with the"
                " GPU. Linux hasn't loaded it."
            ),
        ),
        (N_("Load it."),),
    ),
    "device-file-missing": Text(
        "gpu",
        N_("A device file of the GPU is missing"),
        (N_("Programs reach the GPU through {path}, and Linux hasn't made that file."),),
        (N_("Let NVIDIA's own tool make it, or restart the computer."),),
    ),
    "cuda-stopped-after-sleep": Text(
        "gpu",
        N_("The GPU didn't wake up from sleep"),
        (N_("Since the computer slept, the NVIDIA driver's part nvidia-uvm no longer answers."),),
        (N_("Close the programs that use the GPU and load that part again, or restart."),),
    ),
    "fabric-manager-missing": Text(
        "gpu",
        N_("The service that links the GPUs isn't running"),
        (
            N_(
                "On this kind of server the GPUs work only while NVIDIA's Fabric Manager runs, in"
                " the same version as the driver."
            ),
        ),
        (N_("Install it in the driver's version if it is missing, and start it."),),
    ),
    "compute-mode-prohibited": Text(
        "gpu",
        N_("The GPU is set to accept no programs"),
        (N_("The compute mode of {gpu} is “prohibited”, so no program may compute on it."),),
        (N_("Set the compute mode back to its default."),),
    ),
    "compute-mode-exclusive": Text(
        "gpu",
        N_("Another program has the GPU for itself"),
        (
            N_("The compute mode of {gpu} admits one program at a time."),
            N_("It is used by {program}."),
        ),
        (N_("Close the program that has it, or set the compute mode back to its default."),),
    ),
    "gpu-memory-taken": Text(
        "gpu",
        N_("Other programs use up the GPU's memory"),
        (
            N_("{gpu} has {free} of {total} free."),
            N_("Most of it is held by {programs}."),
            N_("cuDNN then can't start, though nothing is wrong with it."),
        ),
        (N_("Close these programs and check again."),),
    ),
    "gpu-memory-held": Text(
        "gpu",
        N_("The GPU's memory is full"),
        (
            N_("{gpu} has {free} of {total} free, and no program admits to using it."),
            N_("cuDNN then can't start, though nothing is wrong with it."),
        ),
        (N_("Close programs that may use the GPU, or restart the computer."),),
    ),
    "gpu-memory-small": Text(
        "gpu",
        N_("The GPU has too little memory"),
        (N_("{gpu} has {total}, of which {free} is free. cuDNN needs more to start."),),
        (N_("Close other programs and check again. Large models need a GPU with more memory."),),
    ),
    "vgpu-licence": Text(
        "gpu",
        N_("The virtual GPU may lack its licence"),
        (N_("{gpu} is a share of a GPU in a server. Without a licence it refuses to compute."),),
        (N_("Ask whoever runs the server to check the vGPU licence."),),
    ),
}

SETTINGS: dict[str, Text] = {
    "cuda-path-stale": Text(
        "settings",
        (
            N_("{gone} names a folder that no longer exists"),
            N_("{variable} names a folder without CUDA"),
        ),
        (
            N_("Some programs read CUDA_PATH to find CUDA."),
            N_("It still says CUDA {old}."),
        ),
        (N_("Set CUDA_PATH to CUDA {new}."), N_("The present folder is {value}.")),
        (N_("The old value is kept and can be put back."),),
    ),
    "cuda-path-stale:manual": Text(
        "settings",
        (
            N_("{gone} names a folder that no longer exists"),
            N_("{variable} names a folder without CUDA"),
        ),
        (
            N_("Some programs read CUDA_PATH to find CUDA."),
            N_("It still says CUDA {old}."),
        ),
        (N_("Set CUDA_PATH to CUDA {new}."), N_("It is set in {place}.")),
    ),
    "cuda-home-stale": Text(
        "settings",
        (
            N_("{gone} names a folder that no longer exists"),
            N_("{variable} names a folder without CUDA"),
        ),
        (
            N_("Some programs read CUDA_HOME to find CUDA."),
            N_("It still says CUDA {old}."),
        ),
        (N_("Set CUDA_HOME to CUDA {new}."), N_("The present folder is {value}.")),
        (N_("The old value is kept and can be put back."),),
    ),
    "cuda-home-stale:manual": Text(
        "settings",
        (
            N_("{gone} names a folder that no longer exists"),
            N_("{variable} names a folder without CUDA"),
        ),
        (
            N_("Some programs read CUDA_HOME to find CUDA."),
            N_("It still says CUDA {old}."),
        ),
        (N_("Set CUDA_HOME to CUDA {new}."), N_("It is set in {place}.")),
    ),
    "cuda-path-malformed": Text(
        "settings",
        N_("CUDA_PATH has a slip in it"),
        (
            N_(
                "Some programs read CUDA_PATH to find CUDA. It must hold one folder"
                " and nothing else."
            ),
            N_("Its value is “{value}”."),
        ),
        (N_("Set it to {folder}."),),
        (N_("The old value is kept and can be put back."),),
    ),
    "cuda-home-malformed": Text(
        "settings",
        N_("CUDA_HOME has a slip in it"),
        (
            N_(
                "Some programs read CUDA_HOME to find CUDA. It must hold one folder"
                " and nothing else."
            ),
            N_("Its value is “{value}”."),
        ),
        (N_("Set it to {folder}."),),
        (N_("The old value is kept and can be put back."),),
    ),
    "cuda-paths-disagree": Text(
        "settings",
        N_("CUDA_PATH and CUDA_HOME name different versions"),
        (
            N_(
                "CUDA_PATH says CUDA {path}, CUDA_HOME says CUDA {home}. Programs read one or the"
                " other and then mix the two."
            ),
        ),
        (N_("Set {variable} to CUDA {new} as well."), N_("It is set in {place}.")),
        (N_("The old value is kept and can be put back."),),
    ),
    "cuda-path-of-account": Text(
        "settings",
        N_("Your CUDA_PATH differs from the computer's"),
        (
            N_(
                "Your account's CUDA_PATH says CUDA {mine}, the computer's says CUDA {other}. Your"
                " programs get yours; services and other people get the computer's."
            ),
        ),
        (
            N_(
                "If you didn't set it on purpose, remove CUDA_PATH from the variables of your"
                " account in Windows' settings."
            ),
        ),
    ),
    "cudnn-path-stale": Text(
        "settings",
        N_("{variable} names a folder without cuDNN"),
        (N_("Some programs read {variable} to find cuDNN."), N_("Its value is {value}.")),
        (N_("Remove the setting; it helps no program."), N_("It was set in {place}.")),
        (N_("The old value is kept and can be put back."),),
    ),
    "path-entry-unexpanded": Text(
        "settings",
        N_("An entry of PATH leads nowhere"),
        (
            _PATH_IS,
            N_("“{entry}” stands there with a name between % signs that Windows doesn't replace."),
        ),
        (N_("Take this entry out. Other entries stay as they are."),),
    ),
    "path-entry-malformed": Text(
        "settings",
        N_("An entry of {variable} can't be used"),
        (
            N_("{variable} is a list of folders to search."),
            N_(
                "“{entry}” is no folder as it stands, so it is passed over: because of quotes,"
                " blanks or a sign like ~, or because it names a file."
            ),
        ),
        (N_("Take this entry out. Other entries stay as they are."),),
    ),
    "path-entry-malformed:manual": Text(
        "settings",
        N_("An entry of {variable} can't be used"),
        (
            N_("{variable} is a list of folders to search."),
            N_(
                "“{entry}” is no folder as it stands, so it is passed over: because of quotes,"
                " blanks or a sign like ~, or because it names a file."
            ),
        ),
        (
            N_("Write the whole name of the folder, without quotes and blanks."),
            N_("The entry is made in {place}."),
        ),
    ),
    "path-cut-off": Text(
        "settings",
        N_("The end of PATH was cut off"),
        (
            _PATH_IS,
            N_("Yours ends at exactly {length} characters with “{entry}”, as some tools cut it."),
        ),
        (N_("Add the entries that are missing again, if you have a list of them."),),
    ),
    "path-too-long": Text(
        "settings",
        N_("PATH is very long"),
        (_PATH_IS, N_("With {length} characters it is too long for the command prompt.")),
        (N_("Nothing needs to be done for cuDNN. Removing entries you don't need would help."),),
    ),
    "empty-search-entry": Text(
        "settings",
        (N_("LD_LIBRARY_PATH has the entry “{dot}”"), N_("LD_LIBRARY_PATH has an empty entry")),
        (
            N_(
                "LD_LIBRARY_PATH is a list of folders that programs search first. Such an entry"
                " means whatever folder you happen to be in."
            ),
        ),
        (
            N_("Take that entry out; a colon too many makes one, too."),
            N_("The setting is made in {place}."),
        ),
    ),
    "leaked-library-folder": Text(
        "settings",
        N_("A packaged program left its settings behind"),
        (
            N_(
                "LD_LIBRARY_PATH, a list of folders that programs search first, begins with the"
                " private folder of another program. Others then load its libraries."
            ),
        ),
        (N_("Start from a new terminal, or remove the setting in this one."),),
    ),
    "debug-variable-set": Text(
        "settings",
        N_("{variable} is switched on"),
        (
            N_(
                "It helps to find faults in programs and makes them slower or changes"
                " their results."
            ),
        ),
        (N_("Remove it when you no longer need it."),),
    ),
    "open-programs-have-old-settings": Text(
        "settings",
        N_("Open programs still use the old settings"),
        (N_("Programs started from now on find cuDNN in {folder}; those that run don't yet."),),
        (N_("Close and reopen terminals, editors and notebooks that were open."),),
    ),
    "folder-name-unusual": Text(
        "settings",
        N_("The folder of cuDNN has an unusual name"),
        (N_("Some Windows programs can't load files from folders such as {folder}."),),
        (N_("Move cuDNN to a folder with a short name of plain letters."),),
    ),
    "gpu-order-differs": Text(
        "settings",
        N_("CUDA numbers your GPUs differently"),
        (N_("GPU 0 of a CUDA program isn't GPU 0 of nvidia-smi. Details show which is which."),),
        (N_("Nothing needs to be done. CUDA_DEVICE_ORDER=PCI_BUS_ID makes the orders equal."),),
    ),
}

TABLE: dict[str, Text] = {**HARDWARE, **SETTINGS, **LIBRARIES, **PROGRAMS}
"""Every code's words."""
