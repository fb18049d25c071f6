"""Text as a terminal may see it: nothing in it can move the cursor, colour or hide anything."""

_PLAIN_BLANKS = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def show(text: str) -> str:
    """Return `text` with every character that is not printable written as an escape.

    That covers control characters, C1, the marks that turn the direction of writing, and lone
    surrogates; blanks of all kinds become a blank.
    """
    if text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def show_lines(text: str) -> str:
    """The same, but line ends stay."""
    return "\n".join(show(line) for line in text.split("\n"))


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    if character in _PLAIN_BLANKS:
        return _PLAIN_BLANKS[character]
    code = ord(character)
    if character.isspace() and code not in (0x2028, 0x2029, 0x85) and code > 0x9F:
        return " "
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
