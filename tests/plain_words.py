"""Words that no sentence for a person may hold.

What was tried "just now" was tried hours ago where a report or a window is read later.
"""

import re

FORBIDDEN = re.compile(
    r"\b(errors?|errone\w*|fail\w*|invalid\w*|illegal\w*|fatal\w*|corrupt\w*|please|simply"
    r"|just|moments? ago|oops|abort\w*)\b",
    re.IGNORECASE,
)
