"""The manual of the smart object: its example is one, and no word of the schema is left out."""

import re
from pathlib import Path

import pytest
from armspan.protocol.objects import read_document, schema_bytes

MANUAL = (Path(__file__).parents[3] / "docs" / "smart-object.md").read_text("utf-8")
WORDS = sorted(
    set(re.findall(rb'<xs:(?:element|attribute) name="(\w+)"', schema_bytes()))
    | set(re.findall(rb'<xs:enumeration value="([\w-]+)"', schema_bytes()))
)


def test_the_manuals_example_is_a_smart_object():
    (example,) = re.findall(r"```xml\n(.*?)```", MANUAL, re.DOTALL)
    told = read_document(example.encode())
    assert told.grasp_sites[0].name == "handle"


@pytest.mark.parametrize("word", [word.decode() for word in WORDS])
def test_every_word_of_the_schema_is_explained(word: str):
    bones = {"metacarpal", "proximal", "middle", "distal", "palm"}
    digits = {"thumb", "index", "middle", "ring", "little"}
    assert re.search(rf"`[^`]*\b{word}\b[^`]*`", MANUAL) or word in bones | digits
