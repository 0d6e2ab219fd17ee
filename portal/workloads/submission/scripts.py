"""Scripts are kept as they were sent, so that a manifest makes the same job again, and run as if written here."""

import re
from typing import Final

_MARK: Final = "\ufeff"
_LINE_END: Final = re.compile("\r+\n|\r")


def runnable_script(text: str) -> str:
    """Return the script without a byte order mark, and with lines that end by LF.

    Interpreters take both for a part of the first line. An escape sequence in the text is no line end.
    """
    return _LINE_END.sub("\n", text.lstrip(_MARK))
