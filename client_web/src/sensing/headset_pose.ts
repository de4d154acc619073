/** Owns how a pose of WebXR becomes seven numbers: position xyz in metres, rotation xyzw. */

export function writePose({ position, orientation }: XRRigidTransform, out: Float64Array): void {
  out[0] = position.x;
  out[1] = position.y;
  out[2] = position.z;
  out[3] = orientation.x;
  out[4] = orientation.y;
  out[5] = orientation.z;
  out[6] = orientation.w;
}
