"""Owns a smart object that uses the whole vocabulary, and pieces of documents as a person types."""

import math

from armspan.protocol.objects import (
    NAMESPACE,
    Box,
    Capsule,
    Contact,
    Cylinder,
    Digit,
    GraspSite,
    HandSegment,
    LengthUnit,
    Mass,
    MeshFile,
    ParameterSet,
    Pose,
    Posture,
    Section,
    Side,
    SmartObject,
    Span,
    Sphere,
    ThumbToward,
    ThumbUse,
    Torus,
    Touching,
    TubeKind,
    TubeRegion,
)

TURNED = Pose((1.0, 2.0, -3.0), (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)))

POSTURE = Posture(
    site="handle",
    parameter_set="pinch",
    hand=Side.LEFT,
    hand_length_m=0.19,
    palm_from_object=TURNED,
    joint_angles_rad=tuple(number / 30 for number in range(20)),
    contacts=(
        Contact(Touching.THUMB, HandSegment.DISTAL, 0.0, (0.1, 0.2, 0.3), (0.0, 1.0, 0.0)),
        Contact(Touching.PALM, HandSegment.PALM, -0.001, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ),
    quality=-0.125,
)

WHOLE = SmartObject(
    name="A mug & more <really>",
    description="for coffee\nand tea",
    mass=Mass(0.35, (0.0, 0.04, 0.0)),
    geometry=(
        MeshFile("meshes/mug with a space.stl", LengthUnit.MILLIMETRE),
        MeshFile("lid.glb", pose=TURNED),
        Box((0.1, 0.2, 0.3)),
        Sphere(0.05, TURNED),
        Cylinder(0.04, 0.1),
        Capsule(0.01, 0.2),
        Torus(0.03, 0.007),
    ),
    tubes=(
        TubeRegion(
            "handle",
            TubeKind.HANDLE,
            (Section((0.0, 0.0, 0.0), 0.01), Section((0.0, 1.0 / 3.0, 1e-7), 0.011)),
            normal=(1.0, 0.0, 0.0),
        ),
        TubeRegion(
            "rim",
            TubeKind.FREE,
            tuple(Section((math.cos(a), 0.0, math.sin(a)), 0.02) for a in (0.0, 2.0, 4.0)),
            closed=True,
        ),
    ),
    grasp_sites=(
        GraspSite(
            "handle",
            "handle",
            (
                ParameterSet("usual"),
                ParameterSet(
                    "pinch",
                    hands=(Side.LEFT,),
                    thumb=ThumbUse.ON_THE_SIDE,
                    thumb_toward=ThumbToward.EITHER,
                    fingers=(Digit.THUMB, Digit.INDEX, Digit.MIDDLE),
                    tolerance_m=0.0015,
                    along_m=Span(0.02, 0.05),
                    around_rad=Span(-1.0, 1.0),
                    distance_m=Span(0.0, 0.004),
                    forward_m=Span(0.01, 0.02),
                    tilt_rad=Span(0.0, 0.0),
                    pitch_rad=Span(-0.1, 0.1),
                    roll_rad=Span(0.2, 0.2),
                    spread_rad=Span(0.0, 0.1),
                    max_postures=500,
                ),
            ),
        ),
    ),
    postures=(POSTURE,),
    extension=('<x:note xmlns:x="urn:somewhere-else" kind="a">kept <x:b></x:b>as it is</x:note>',),
)

TUBE = (
    '<tube name="bar" kind="handle">'
    '<section position_m="0 0 0" radius_m="0.01"/><section position_m="0 0 0.1" radius_m="0.01"/>'
    "</tube>"
)
SITE = '<grasp_site name="hold" tube="bar"><parameter_set name="usual"/></grasp_site>'
TUBES = f"<tubes>{TUBE}</tubes>"
SITES = f"<grasp_sites>{SITE}</grasp_sites>"


def document(inside: str = "", attributes: str = 'name="thing"') -> bytes:
    """A document whose second line is ``inside``."""
    return f'<smart_object xmlns="{NAMESPACE}" {attributes}>\n{inside}\n</smart_object>\n'.encode()
