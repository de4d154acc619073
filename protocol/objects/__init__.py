"""The smart-object document: its schema, its reading and its writing."""

from armspan.protocol.objects.document import (
    NAMESPACE,
    REVISION,
    VERSION,
    Contact,
    GraspSite,
    Mass,
    ParameterSet,
    Posture,
    Section,
    SmartObject,
    Span,
    TubeRegion,
)
from armspan.protocol.objects.editing import with_posture
from armspan.protocol.objects.errors import DocumentError, Problem
from armspan.protocol.objects.geometry import (
    Box,
    Capsule,
    Cylinder,
    MeshFile,
    Piece,
    Pose,
    Sphere,
    Torus,
)
from armspan.protocol.objects.parsing import MAX_DOCUMENT_BYTES
from armspan.protocol.objects.reading import read_document
from armspan.protocol.objects.schema import SCHEMA_FILE, schema_bytes
from armspan.protocol.objects.vocabulary import (
    Digit,
    HandSegment,
    LengthUnit,
    Side,
    ThumbToward,
    ThumbUse,
    Touching,
    TubeKind,
)
from armspan.protocol.objects.writing import write_document

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "NAMESPACE",
    "REVISION",
    "SCHEMA_FILE",
    "VERSION",
    "Box",
    "Capsule",
    "Contact",
    "Cylinder",
    "Digit",
    "DocumentError",
    "GraspSite",
    "HandSegment",
    "LengthUnit",
    "Mass",
    "MeshFile",
    "ParameterSet",
    "Piece",
    "Pose",
    "Posture",
    "Problem",
    "Section",
    "Side",
    "SmartObject",
    "Span",
    "Sphere",
    "ThumbToward",
    "ThumbUse",
    "Torus",
    "Touching",
    "TubeKind",
    "TubeRegion",
    "read_document",
    "schema_bytes",
    "with_posture",
    "write_document",
]
