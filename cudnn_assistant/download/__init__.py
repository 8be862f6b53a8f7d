"""One official file from NVIDIA's server: resumed after a break, and proven before it is used.

What arrives lies in the cache as ``NAME.part`` and gets its name only when size and SHA-256 are
those that the plan states. A broken connection, a closed program or a restart cost nothing but
the last block: the next try goes on where this one ended, as long as the server still has the
same file (ETag).
"""

from cudnn_assistant.download.fetching import fetch as fetch
from cudnn_assistant.download.licence import Licence as Licence
from cudnn_assistant.download.licence import licence as licence
