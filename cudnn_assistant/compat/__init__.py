"""What fits together: releases of driver, CUDA, cuDNN and frameworks, as the feed states them.

Pure. The data comes from ``feed``; a hole in the data is ``None`` or "" and means *unknown*.
``facts`` has the types; ``lookup``, ``releases`` and ``limits`` answer questions; ``recommend``
finds the one set that fits a situation, ``environment`` (loaded by who asks) one for all packages
of a requirements file, and ``advice`` has the types of what they say.
"""

from cudnn_assistant.compat.advice import Alternative as Alternative
from cudnn_assistant.compat.advice import CudnnAdvice as CudnnAdvice
from cudnn_assistant.compat.advice import DriverAdvice as DriverAdvice
from cudnn_assistant.compat.advice import FrameworkAdvice as FrameworkAdvice
from cudnn_assistant.compat.advice import Reason as Reason
from cudnn_assistant.compat.advice import Recommendation as Recommendation
from cudnn_assistant.compat.advice import Release as Release
from cudnn_assistant.compat.advice import ToolkitAdvice as ToolkitAdvice
from cudnn_assistant.compat.facts import Compat as Compat
from cudnn_assistant.compat.facts import CudnnBuild as CudnnBuild
from cudnn_assistant.compat.facts import CudnnRelease as CudnnRelease
from cudnn_assistant.compat.facts import File as File
from cudnn_assistant.compat.facts import FrameworkRelease as FrameworkRelease
from cudnn_assistant.compat.facts import Wheel as Wheel
from cudnn_assistant.compat.facts import decode as decode
from cudnn_assistant.compat.facts import load_builtin as load_builtin
from cudnn_assistant.compat.limits import cuda_majors as cuda_majors
from cudnn_assistant.compat.limits import cuda_package as cuda_package
from cudnn_assistant.compat.limits import cudnn_against_gpu as cudnn_against_gpu
from cudnn_assistant.compat.limits import cudnn_cuda_majors as cudnn_cuda_majors
from cudnn_assistant.compat.limits import cudnn_package as cudnn_package
from cudnn_assistant.compat.limits import current_cuda_majors as current_cuda_majors
from cudnn_assistant.compat.limits import driver_knows as driver_knows
from cudnn_assistant.compat.limits import first_cudnn_without as first_cudnn_without
from cudnn_assistant.compat.limits import gpu_cuda_majors as gpu_cuda_majors
from cudnn_assistant.compat.limits import known_cuda_majors as known_cuda_majors
from cudnn_assistant.compat.limits import needs_zlibwapi as needs_zlibwapi
from cudnn_assistant.compat.limits import newest_cudnn as newest_cudnn
from cudnn_assistant.compat.limits import newest_gpu as newest_gpu
from cudnn_assistant.compat.limits import oldest_gpu as oldest_gpu
from cudnn_assistant.compat.limits import oldest_gpu_of_cudnn as oldest_gpu_of_cudnn
from cudnn_assistant.compat.limits import packages_since as packages_since
from cudnn_assistant.compat.limits import usual_cudnn as usual_cudnn
from cudnn_assistant.compat.limits import without_cudnn_since as without_cudnn_since
from cudnn_assistant.compat.limits import without_gpu_since as without_gpu_since
from cudnn_assistant.compat.lookup import FIRST_COMPATIBLE as FIRST_COMPATIBLE
from cudnn_assistant.compat.lookup import architecture as architecture
from cudnn_assistant.compat.lookup import at_least as at_least
from cudnn_assistant.compat.lookup import cuda_of_branch as cuda_of_branch
from cudnn_assistant.compat.lookup import cuda_of_driver as cuda_of_driver
from cudnn_assistant.compat.lookup import driver_floor as driver_floor
from cudnn_assistant.compat.lookup import first_driver as first_driver
from cudnn_assistant.compat.lookup import generation as generation
from cudnn_assistant.compat.lookup import gpu_by_pci as gpu_by_pci
from cudnn_assistant.compat.lookup import last_cuda as last_cuda
from cudnn_assistant.compat.lookup import last_driver_branch as last_driver_branch
from cudnn_assistant.compat.lookup import newest_branch as newest_branch
from cudnn_assistant.compat.lookup import oldest_usable_cuda as oldest_usable_cuda
from cudnn_assistant.compat.lookup import serves_cuda as serves_cuda
from cudnn_assistant.compat.names import gpu_compute as gpu_compute
from cudnn_assistant.compat.names import meant as meant
from cudnn_assistant.compat.recommend import recommend as recommend
from cudnn_assistant.compat.recommend import recommend_for as recommend_for
from cudnn_assistant.compat.releases import PartsTable as PartsTable
from cudnn_assistant.compat.releases import cudnn_build as cudnn_build
from cudnn_assistant.compat.releases import cudnn_builds as cudnn_builds
from cudnn_assistant.compat.releases import cudnn_majors as cudnn_majors
from cudnn_assistant.compat.releases import cudnn_parts as cudnn_parts
from cudnn_assistant.compat.releases import framework_builds as framework_builds
from cudnn_assistant.compat.releases import framework_name as framework_name
from cudnn_assistant.compat.releases import framework_needs as framework_needs
from cudnn_assistant.compat.releases import last_cudnn as last_cudnn
from cudnn_assistant.compat.releases import parts_of as parts_of
from cudnn_assistant.compat.releases import runs_kernels as runs_kernels
from cudnn_assistant.compat.releases import wheel_package as wheel_package
from cudnn_assistant.compat.situation import Situation as Situation
from cudnn_assistant.compat.situation import platform_name as platform_name
from cudnn_assistant.compat.situation import situation as situation
