"""Owns the check against the schema, and puts what libxml2 says of it into plain words."""

import re
from functools import cache
from importlib.resources import files

from armspan.protocol.objects.document import NAMESPACE, REVISION
from armspan.protocol.objects.errors import LISTED, Problem, shown
from armspan.protocol.objects.tree import Element, elements, schema_errors

SCHEMA_FILE = "smart_object.xsd"

_INSTANCE = "{http://www.w3.org/2001/XMLSchema-instance}"
_ENDLESS = re.compile(r"([^\s']{60})[^\s']{20,}")  # a name in a document may have any length
_NAMESPACE = re.compile(re.escape(f"{{{NAMESPACE}}}"))
_WHERE = re.compile(
    r"^Element '([^']*)'(?:, attribute '([^']*)')?: (?:\[facet '\w+'\] )?", re.DOTALL
)
_EXPECTED = re.compile(r"Expected is (?:one of )?\( ?(.*?) ?\)\.$", re.DOTALL)
_QUOTED = re.compile(r"'([^']*)'")

# What libxml2 says after "Element 'e', attribute 'a': ", and what a designer is told instead. In
# the words {0}, {1}... are the groups, and {value} the first of them, quoted and cut.
_OF_TYPE = r"is not a valid value of the (?:local )?(?:atomic|list) type"
_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r"The value '(.*)' is not an element of the set \{(.*)\}\.$",
         "is {value}; one of {1} is wanted"),
        (r"The value '(.*)' has a length of '(\d+)'; this differs from .* length of '(\d+)'\.$",
         "has {1} numbers; {2} are wanted"),
        (r"The value '(.*)' has a length of '0'; this underruns .*$",
         "is empty; tell what is meant, or leave it out"),
        (r"The value '(.*)' has a length of '(\d+)'; this exceeds .* length of '(\d+)'\.$",
         "has a length of {1}; at most {2} is allowed"),
        (r"The value '(.*)' is greater than the maximum value allowed \('(.*)'\)\.$",
         "is {value}; at most {1} is allowed"),
        (r"The value '(.*)' is less than the minimum value allowed \('(.*)'\)\.$",
         "is {value}; at least {1} is wanted"),
        (r"The value '(.*)' must be greater than '(.*)'\.$", "is {value}; more than {1} is wanted"),
        (rf"'(.*)' {_OF_TYPE} 'xs:boolean'\.$", "is {value}; true or false is wanted"),
        (rf"'(.*)' {_OF_TYPE} '(?:xs:positiveInteger|max_postures)'\.$",
         "is {value}; a whole number is wanted"),
        (rf"'(.*)' {_OF_TYPE} '.*'\.$", "is {value}; numbers are wanted"),
        (r"The attribute '(.*)' is required but missing\.$", "is missing {value}"),
        (r"The attribute '(.*)' is not allowed\.$", "is not known here"),
        (r"Character content .*$", "holds text; only elements belong there"),
        (r"Element content .*$", "holds elements; only text belongs there"),
        (r"Duplicate key-sequence \['(.*)'\] in .*'(\w+)'\.$",
         "is called {value} as another is; give each a name of its own"),
        (r"No match found for key-sequence \['(.*)'\] of keyref '(\w+)_of_\w+'\.$",
         "is for {1} {value}, and there is none"),
    )
)  # fmt: skip

# A name's pattern says itself in words.
_PATTERNS = {
    "file": "a path in the document's own folder is wanted, with / between",
    "": "up to 64 letters of A-Z a-z 0-9 _ . - are wanted, the first a letter or digit",
}


@cache
def schema_bytes() -> bytes:
    """Return the schema's file."""
    return files("armspan.protocol.objects").joinpath(SCHEMA_FILE).read_bytes()


def find_problems(root: Element) -> list[Problem]:
    """Return what the schema finds in a document, first lines first, not more than ``LISTED``.

    The tree loses its ``xsi`` attributes, for libxml2 would follow the locations in them; so give
    one that is not used for anything else.
    """
    for element in elements(root):
        for name in [name for name in element.attrib if name.startswith(_INSTANCE)]:
            del element.attrib[name]
    problems: dict[tuple[int, str], Problem] = {}
    for line, said in schema_errors(schema_bytes(), root):
        where, message = _plain(said)
        # A value that breaks a facet is reported again for its type: the first says more.
        problems.setdefault((line, where), Problem(line, message))
    found = sorted(problems.values(), key=lambda problem: problem.line)[:LISTED]
    newer = _revision(root)
    if found and newer > REVISION:
        told = (
            f"revision is {newer}, and this program knows {REVISION}; what it does not know may be "
            "new words: update the program"
        )
        found.insert(0, Problem(root.sourceline or 1, told))
    return found


def _revision(root: Element) -> int:
    told = (root.get("revision") or "1").strip()
    return int(told) if told.isascii() and told.isdigit() and len(told) < 10 else 1


def _plain(message: str) -> tuple[str, str]:
    """Return where (element and attribute), and what is wrong in one line."""
    message = _ENDLESS.sub(r"\1…", _NAMESPACE.sub("", message))
    where = _WHERE.match(message)
    if where is None:
        return message[:80], shown(message)
    element, attribute = where[1], where[2]
    said = message[where.end() :]
    place = f"{attribute} of {element}" if attribute else element
    if "is not accepted by the pattern" in said:
        value = said.split("The value '", 1)[-1].rsplit("' is not accepted", 1)[0]
        return place, f"{place} is {shown(value)}; {_PATTERNS.get(attribute or '', _PATTERNS[''])}"
    if said.startswith(("This element is not expected", "Missing child")):
        return place, _element_message(element, said)
    for pattern, words in _WORDS:
        found = pattern.match(said)
        if found:
            groups = [_QUOTED.sub(r"\1", group) for group in found.groups()]
            value = shown(found[1]) if found.groups() else ""
            return place, f"{place} {words.format(*groups, value=value)}"
    return place, f"{place}: {' '.join(said.split())[:200]}"


def _element_message(element: str, said: str) -> str:
    expected = _EXPECTED.search(said)
    wanted = ""
    if expected:
        names = [name.strip() for name in expected[1].split(",")]
        other = any(name.startswith("##other") for name in names)
        wanted = "elements of other namespaces" if other else " or ".join(names)
    if said.startswith("Missing child"):
        return f"{element} is not complete; {wanted or 'more'} is wanted in it"
    return f"{element} does not belong here" + (f"; {wanted} does" if wanted else ", or only once")
