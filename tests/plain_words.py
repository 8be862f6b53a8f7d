"""Words that no sentence for a person may hold."""

import re

FORBIDDEN = re.compile(
    r"\b(errors?|errone\w*|fail\w*|invalid\w*|illegal\w*|fatal\w*|corrupt\w*|please|simply"
    r"|just(?! now)|oops|abort\w*)\b",
    re.IGNORECASE,
)
