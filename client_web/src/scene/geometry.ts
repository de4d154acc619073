/** Owns the two ways in which body parts are built: lofts through rings, and tapered capsules. */

import { BufferAttribute, BufferGeometry, Vector3 } from 'three';

/** A superellipse across the loft's axis (Y): half sizes along X and Z, and where its centre is. */
export interface Ring {
  readonly y: number;
  readonly width: number;
  readonly depth: number;
  /** Centre along Z; 0 unless given. */
  readonly forward?: number;
  /** 2 is an ellipse, more is boxier; 2 unless given. */
  readonly boxiness?: number;
}

const STEPS_BETWEEN_RINGS = 2;

/** Catmull–Rom between b and c. */
function spline(a: number, b: number, c: number, d: number, t: number): number {
  const tight = 2 * b + (c - a) * t;
  return 0.5 * (tight + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t);
}

function ringAt(rings: readonly Ring[], index: number): Required<Ring> {
  const ring = rings[Math.min(Math.max(index, 0), rings.length - 1)];
  if (ring === undefined) throw new RangeError('a loft needs at least one ring');
  return { forward: 0, boxiness: 2, ...ring };
}

function smooth(rings: readonly Ring[]): Required<Ring>[] {
  const result: Required<Ring>[] = [];
  for (let index = 0; index < rings.length - 1; index += 1) {
    const [a, b, c, d] = [-1, 0, 1, 2].map((step) => ringAt(rings, index + step)) as [
      Required<Ring>,
      Required<Ring>,
      Required<Ring>,
      Required<Ring>,
    ];
    for (let step = 0; step < STEPS_BETWEEN_RINGS; step += 1) {
      const t = step / STEPS_BETWEEN_RINGS;
      const mix = (key: keyof Ring) => spline(a[key], b[key], c[key], d[key], t);
      result.push({
        y: mix('y'),
        width: Math.max(mix('width'), 1e-4),
        depth: Math.max(mix('depth'), 1e-4),
        forward: mix('forward'),
        boxiness: Math.max(mix('boxiness'), 1.5),
      });
    }
  }
  result.push(ringAt(rings, rings.length - 1));
  return result;
}

function signedPower(base: number, exponent: number): number {
  return Math.sign(base) * Math.abs(base) ** exponent;
}

/** A closed, smooth skin through rings, given from the lowest to the highest. */
export function loft(rings: readonly Ring[], segments = 22): BufferGeometry {
  const levels = smooth(rings);
  const positions: number[] = [];
  for (const { y, width, depth, forward, boxiness } of levels) {
    for (let segment = 0; segment < segments; segment += 1) {
      const angle = (segment / segments) * 2 * Math.PI;
      positions.push(
        width * signedPower(Math.cos(angle), 2 / boxiness),
        y,
        forward + depth * signedPower(Math.sin(angle), 2 / boxiness),
      );
    }
  }
  const bottom = positions.length / 3;
  const first = ringAt(levels, 0);
  const last = ringAt(levels, levels.length - 1);
  positions.push(0, first.y, first.forward, 0, last.y, last.forward);
  const indices: number[] = [];
  for (let segment = 0; segment < segments; segment += 1) {
    const next = (segment + 1) % segments;
    for (let level = 0; level < levels.length - 1; level += 1) {
      const a = level * segments + segment;
      const b = level * segments + next;
      indices.push(a, a + segments, b, b, a + segments, b + segments);
    }
    const top = (levels.length - 1) * segments;
    indices.push(bottom, segment, next, bottom + 1, top + next, top + segment);
  }
  return finish(positions, indices);
}

/** A capsule from one point to another with a radius at each end. */
export function taperedCapsule(
  from: Vector3,
  to: Vector3,
  fromRadius: number,
  toRadius: number,
  segments = 16,
  capSteps = 4,
): BufferGeometry {
  const length = from.distanceTo(to);
  // Where the straight side touches both spheres, so that the outline has no kink.
  const slope = Math.asin(Math.min(Math.max((fromRadius - toRadius) / length, -1), 1));
  const profile: [along: number, radius: number][] = [];
  for (let step = 0; step <= capSteps; step += 1) {
    const angle = -Math.PI / 2 + (step / capSteps) * (Math.PI / 2 + slope);
    profile.push([fromRadius * Math.sin(angle), fromRadius * Math.cos(angle)]);
  }
  for (let step = 0; step <= capSteps; step += 1) {
    const angle = slope + (step / capSteps) * (Math.PI / 2 - slope);
    profile.push([length + toRadius * Math.sin(angle), toRadius * Math.cos(angle)]);
  }
  const geometry = revolve(profile, segments);
  const direction = new Vector3().subVectors(to, from).normalize();
  const sideways = Math.abs(direction.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  const x = new Vector3().crossVectors(direction, sideways).normalize();
  const z = new Vector3().crossVectors(x, direction);
  const position = geometry.getAttribute('position');
  const point = new Vector3();
  for (let index = 0; index < position.count; index += 1) {
    point.fromBufferAttribute(position, index);
    const { x: across, y: along, z: over } = point;
    point.copy(from).addScaledVector(direction, along);
    point.addScaledVector(x, across).addScaledVector(z, over);
    position.setXYZ(index, point.x, point.y, point.z);
  }
  geometry.computeVertexNormals();
  return geometry;
}

function revolve(profile: readonly [number, number][], segments: number): BufferGeometry {
  const positions: number[] = [];
  for (const [along, radius] of profile) {
    for (let segment = 0; segment < segments; segment += 1) {
      const angle = (segment / segments) * 2 * Math.PI;
      positions.push(radius * Math.cos(angle), along, radius * Math.sin(angle));
    }
  }
  const indices: number[] = [];
  for (let level = 0; level < profile.length - 1; level += 1) {
    for (let segment = 0; segment < segments; segment += 1) {
      const a = level * segments + segment;
      const b = level * segments + ((segment + 1) % segments);
      indices.push(a, a + segments, b, b, a + segments, b + segments);
    }
  }
  return finish(positions, indices);
}

/** The mirror image in the plane x = 0, facing outwards again. */
export function mirrored(geometry: BufferGeometry): BufferGeometry {
  const result = geometry.clone().scale(-1, 1, 1);
  const index = result.getIndex();
  if (index === null) throw new TypeError('only indexed geometry can be mirrored');
  for (let corner = 0; corner < index.count; corner += 3) {
    const second = index.getX(corner + 1);
    index.setX(corner + 1, index.getX(corner + 2));
    index.setX(corner + 2, second);
  }
  result.computeVertexNormals();
  return result;
}

function finish(positions: number[], indices: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  return geometry;
}
