/**
 * Owns how Web Audio is told of places: listener and panners by world metres and unit rotations.
 * Written every frame; allocates nothing. Older browsers know the listener's old methods only.
 */

/** The ears' forward (−Z) and up (+Y) are the rotation's third and second columns. */
export function placeListener(
  listener: AudioListener,
  x: number,
  y: number,
  z: number,
  qx: number,
  qy: number,
  qz: number,
  qw: number,
): void {
  const forwardX = -2 * (qx * qz + qw * qy);
  const forwardY = -2 * (qy * qz - qw * qx);
  const forwardZ = 2 * (qx * qx + qy * qy) - 1;
  const upX = 2 * (qx * qy - qw * qz);
  const upY = 1 - 2 * (qx * qx + qz * qz);
  const upZ = 2 * (qy * qz + qw * qx);
  if (!('positionX' in listener)) {
    const old = listener as AudioListener;
    old.setPosition(x, y, z);
    old.setOrientation(forwardX, forwardY, forwardZ, upX, upY, upZ);
    return;
  }
  listener.positionX.value = x;
  listener.positionY.value = y;
  listener.positionZ.value = z;
  listener.forwardX.value = forwardX;
  listener.forwardY.value = forwardY;
  listener.forwardZ.value = forwardZ;
  listener.upX.value = upX;
  listener.upY.value = upY;
  listener.upZ.value = upZ;
}

export function placePanner(panner: PannerNode, x: number, y: number, z: number): void {
  panner.positionX.value = x;
  panner.positionY.value = y;
  panner.positionZ.value = z;
}
