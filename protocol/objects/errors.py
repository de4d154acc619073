"""Owns the error of documents, and the problems that it lists: one line of text each."""

from dataclasses import dataclass

SHOWN_CHARACTERS = 60  # of a text out of a document, in an error
LISTED = 20  # problems of one document; the first ones are mended first


@dataclass(frozen=True)
class Problem:
    """What is wrong at a line of the document; 0 where no line is to blame."""

    line: int
    message: str

    def __str__(self) -> str:
        """Tell both in one line of text."""
        return f"line {self.line}: {self.message}" if self.line else self.message


class DocumentError(ValueError):
    """A smart object that breaks its rules: the value, the rule, and what to do.

    ``problems`` has every one that was found, in the order of their lines; as a text the error is
    the first of them, and how many more there are.
    """

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = tuple(
            given if isinstance(given, Problem) else Problem(0, given) for given in problems
        )
        more = len(self.problems) - 1
        super().__init__(f"{self.problems[0]}" + (f" (and {more} more)" if more else ""))

    def at_line(self, line: int) -> "DocumentError":
        """Return the same error, with ``line`` for the problems that have none yet."""
        return DocumentError(
            *(Problem(known.line or line, known.message) for known in self.problems)
        )


def shown(text: str) -> str:
    """Quote a text out of a document: printable, in one line, and not longer than it need be."""
    clean = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    cut = clean if len(clean) <= SHOWN_CHARACTERS else clean[: SHOWN_CHARACTERS - 1] + "…"
    return f"'{cut}'"
