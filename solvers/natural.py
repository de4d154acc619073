import math
from armspan.solvers.kernel import kernel
from armspan.solvers.quaternion import Vec, cross, dot
# The arm's direction that swivel zero is defined at, and where the elbow goes there.
_AHEAD: Vec = (0.5440, 0.1850, -0.8185)
_ELBOW_AHEAD: Vec = (0.4660, -0.8780, 0.1113)


@kernel
def natural_elbow(u: Vec) -> Vec:
    """Swivel zero: unit direction across ``u`` (unit, shoulder to wrist, torso frame)."""
    w = max(1.0 + dot(u, _AHEAD), 1e-6)
    share = dot(u, _ELBOW_AHEAD) / w
    p = (
        _ELBOW_AHEAD[0] - share * (u[0] + _AHEAD[0]),
        _ELBOW_AHEAD[1] - share * (u[1] + _AHEAD[1]),
        _ELBOW_AHEAD[2] - share * (u[2] + _AHEAD[2]),
    )
    k = dot(p, u)  # zero but for rounding, and for the one direction that has no answer
    p = (p[0] - k * u[0], p[1] - k * u[1], p[2] - k * u[2])
    norm = math.sqrt(dot(p, p))
    if norm < 1e-6:
        return (0.0, -1.0, 0.0)
    return (p[0] / norm, p[1] / norm, p[2] / norm)


