"""What fits together: releases of driver, CUDA, cuDNN and frameworks, as the feed states them.

Pure. The data comes from ``feed``; a hole in the data is ``None`` or "" and means *unknown*.
``facts`` has the types; ``lookup``, ``releases`` and ``limits`` answer questions; ``recommend``
finds the one set that fits a situation, ``environment`` (loaded by who asks) one for all packages
of a requirements file, and ``advice`` has the types of what they say.
"""

from cudnn_assistant.compat.advice import *
from cudnn_assistant.compat.facts import *
from cudnn_assistant.compat.limits import *
from cudnn_assistant.compat.lookup import *
from cudnn_assistant.compat.names import *
from cudnn_assistant.compat.recommend import *
from cudnn_assistant.compat.releases import *
from cudnn_assistant.compat.situation import *
