/** Owns where a camera stands to see a whole group of people: pure geometry. */

import { PerspectiveCamera, Vector3 } from 'three';

export interface View {
  readonly position: Vector3;
  readonly target: Vector3;
}

const _right = new Vector3();
const _up = new Vector3();
const _back = new Vector3();
const WORLD_UP = new Vector3(0, 1, 0);
const MIN_DISTANCE_M = 2.2;
const ASIDE = 0.42;
const AGREED_ELEVATION = 0.2;
const MIXED_ELEVATION = 0.36;

/**
 * The view along `direction` (from the target to the camera, unit) in which all points are within
 * `share` of the picture's half width and height, with those points in its middle.
 */
export function viewOf(
  points: readonly Vector3[],
  direction: Vector3,
  camera: PerspectiveCamera,
  share: { readonly width: number; readonly height: number },
): View {
  _back.copy(direction).normalize();
  _right.crossVectors(WORLD_UP, _back).normalize();
  _up.crossVectors(_back, _right);
  const middle = [_right, _up, _back].map((axis) => {
    const along = points.map((point) => point.dot(axis));
    return (Math.min(...along) + Math.max(...along)) / 2;
  });
  const target = new Vector3();
  [_right, _up, _back].forEach((axis, index) => target.addScaledVector(axis, middle[index] ?? 0));
  const tanUp = Math.tan((camera.fov * Math.PI) / 360);
  const tanRight = tanUp * camera.aspect;
  let distance = MIN_DISTANCE_M;
  for (const point of points) {
    const offset = point.clone().sub(target);
    const nearer = offset.dot(_back);
    const across = Math.abs(offset.dot(_right)) / (tanRight * share.width);
    const over = Math.abs(offset.dot(_up)) / (tanUp * share.height);
    distance = Math.max(distance, nearer + across, nearer + over);
  }
  return { position: target.clone().addScaledVector(_back, distance), target };
}

/**
 * Where to look from, unit: from the side that most people face, a little to the side and above;
 * from higher up where they face every way.
 */
export function viewDirection(facings: readonly Vector3[]): Vector3 {
  const mean = new Vector3();
  for (const facing of facings) mean.add(facing.clone().setY(0).normalize());
  const agreed = facings.length > 0 && mean.length() / facings.length > 0.35;
  const elevation = agreed ? AGREED_ELEVATION : MIXED_ELEVATION;
  const azimuth = ASIDE + (agreed ? Math.atan2(mean.x, mean.z) : 0);
  return new Vector3(
    Math.sin(azimuth) * Math.cos(elevation),
    Math.sin(elevation),
    Math.cos(azimuth) * Math.cos(elevation),
  );
}
