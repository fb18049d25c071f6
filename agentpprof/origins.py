"""Where a value comes from, for errors: an option, an environment variable, or the configuration.

A value that a person configured once is a text that remembers its place, so that whoever finds it
wrong can name that place and not an option that was never given.
"""


class Configured(str):
    """A text of a variable or of the configuration file; `origin` names the place."""

    __slots__ = ("origin",)

    origin: str

    def __new__(cls, text: str, origin: str) -> "Configured":
        """Keep the text, and where it was found."""
        made = super().__new__(cls, text)
        made.origin = origin
        return made


def option_of(text: str, option: str) -> str:
    """Return what an error about `text` begins with: the place it was found at, else the option."""
    return text.origin if isinstance(text, Configured) else option
