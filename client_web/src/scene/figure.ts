/**
 * Owns the shape of a figure, part by part, for default lengths.
 *
 * Each part is authored in the frame that carries it: trunk parts in the chest's, arms with their
 * upper joint at the origin and hanging along −Y, hands around the palm centre with fingers along
 * −Z and the back up, the head around the point between the eyes looking along −Z.
 */

import { BufferAttribute, BufferGeometry, SphereGeometry, Vector3 } from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { DEFAULT_LENGTHS, LENGTH } from '../motion/bones';
import { loft, mirrored, taperedCapsule } from './geometry';

const ORIGIN = new Vector3();
const UPPER_ARM_M = DEFAULT_LENGTHS[LENGTH.upperArm] ?? 0;
const FOREARM_M = DEFAULT_LENGTHS[LENGTH.forearm] ?? 0;

/** What a part is made of; the crowd turns it into a colour for each person. */
export type Finish = 'garment' | 'trousers' | 'skin' | 'visor' | 'eyes';

export interface Part {
  readonly geometry: () => BufferGeometry;
  readonly finish: Finish;
}

function upperTrunk(): BufferGeometry {
  return loft([
    { y: -0.3, width: 0.0, depth: 0.0 },
    { y: -0.295, width: 0.07, depth: 0.055 },
    { y: -0.27, width: 0.116, depth: 0.09 },
    { y: -0.19, width: 0.13, depth: 0.102, boxiness: 2.2 },
    { y: -0.08, width: 0.155, depth: 0.116, boxiness: 2.4 },
    { y: 0.0, width: 0.166, depth: 0.114, boxiness: 2.4 },
    { y: 0.05, width: 0.158, depth: 0.098, forward: 0.006, boxiness: 2.3 },
    { y: 0.085, width: 0.108, depth: 0.078, forward: 0.01 },
    { y: 0.105, width: 0.066, depth: 0.058, forward: 0.012 },
    { y: 0.116, width: 0.052, depth: 0.05, forward: 0.012 },
    { y: 0.118, width: 0.0, depth: 0.0, forward: 0.012 },
  ]);
}

function lowerTrunk(): BufferGeometry {
  return loft([
    { y: -0.56, width: 0.0, depth: 0.0 },
    { y: -0.552, width: 0.05, depth: 0.045 },
    { y: -0.52, width: 0.1, depth: 0.08, boxiness: 2.2 },
    { y: -0.45, width: 0.132, depth: 0.1, boxiness: 2.3 },
    { y: -0.36, width: 0.134, depth: 0.1, boxiness: 2.2 },
    { y: -0.27, width: 0.114, depth: 0.088 },
    { y: -0.23, width: 0.1, depth: 0.078 },
    { y: -0.21, width: 0.0, depth: 0.0 },
  ]);
}

/** Unit length along +Y, from the base of the neck into the skull. */
function neck(): BufferGeometry {
  return taperedCapsule(ORIGIN, new Vector3(0, 1, 0), 0.05, 0.046, 16, 1);
}

const HEAD_BACK_M = 0.076;

function head(): BufferGeometry {
  const egg = loft(
    [
      { y: -0.112, width: 0.0, depth: 0.0, forward: -0.02 },
      { y: -0.108, width: 0.026, depth: 0.026, forward: -0.02 },
      { y: -0.092, width: 0.047, depth: 0.056, forward: -0.014 },
      { y: -0.05, width: 0.067, depth: 0.084, forward: -0.004 },
      { y: 0.0, width: 0.076, depth: 0.097 },
      { y: 0.05, width: 0.076, depth: 0.096, forward: 0.002 },
      { y: 0.09, width: 0.06, depth: 0.076, forward: 0.004 },
      { y: 0.115, width: 0.032, depth: 0.042, forward: 0.005 },
      { y: 0.122, width: 0.0, depth: 0.0, forward: 0.005 },
    ],
    24,
  );
  return egg.translate(0, 0.008, HEAD_BACK_M);
}

/** A dark band around the eyes, rounded at its ends and bulging a little: it says where one looks. */
function visor(): BufferGeometry {
  const columns = 20;
  const rows = 6;
  const reach = (84 * Math.PI) / 180;
  const positions: number[] = [];
  const indices: number[] = [];
  for (let column = 0; column <= columns; column += 1) {
    const u = (2 * column) / columns - 1;
    const height = 0.042 * Math.max(1 - u ** 4, 0) ** 0.5;
    for (let row = 0; row <= rows; row += 1) {
      const v = (2 * row) / rows - 1;
      const bulge = 0.009 * (1 - v ** 4) ** 0.5 * Math.max(1 - u ** 6, 0) ** 0.5 - 0.001;
      const angle = u * reach;
      positions.push(
        (0.0755 + bulge) * Math.sin(angle),
        0.006 + v * height,
        HEAD_BACK_M - (0.0965 + bulge) * Math.cos(angle),
      );
      if (column === columns || row === rows) continue;
      const a = column * (rows + 1) + row;
      indices.push(a, a + 1, a + rows + 1, a + 1, a + rows + 2, a + rows + 1);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setIndex(indices);
  geometry.computeVertexNormals();
  return geometry;
}

function eyes(): BufferGeometry {
  const spots = [-1, 1].map((side) => {
    const spot = new SphereGeometry(1, 12, 8).scale(0.0095, 0.0145, 0.004);
    return spot.rotateY(-side * 0.36).translate(side * 0.031, 0.007, -0.025);
  });
  return merged(spots);
}

function upperArm(): BufferGeometry {
  return taperedCapsule(ORIGIN, new Vector3(0, -UPPER_ARM_M, 0), 0.06, 0.0455);
}

function forearm(): BufferGeometry {
  return taperedCapsule(ORIGIN, new Vector3(0, -FOREARM_M, 0), 0.0395, 0.029);
}

/** A finger bends twice; its root lies on the palm, x sideways, and it is `length` long. */
function finger(x: number, rootZ: number, length: number, radius: number): BufferGeometry[] {
  const spread = x * 0.12;
  const root = new Vector3(x, 0.002, rootZ);
  const middle = new Vector3(x + spread, -0.004, rootZ - 0.55 * length);
  const tip = new Vector3(x + 1.4 * spread, -0.02, rootZ - length);
  return [
    taperedCapsule(root, middle, radius, 0.94 * radius, 8, 2),
    taperedCapsule(middle, tip, 0.94 * radius, 0.8 * radius, 8, 2),
  ];
}

function rightHand(): BufferGeometry {
  const palm = loft(
    [
      { y: -0.038, width: 0.0, depth: 0.0 },
      { y: -0.036, width: 0.034, depth: 0.01, boxiness: 3 },
      { y: -0.024, width: 0.041, depth: 0.0135, boxiness: 3 },
      { y: 0.015, width: 0.039, depth: 0.0155, boxiness: 2.8 },
      { y: 0.05, width: 0.03, depth: 0.0175, boxiness: 2.4 },
      { y: 0.078, width: 0.0265, depth: 0.022 },
      { y: 0.092, width: 0.018, depth: 0.016 },
      { y: 0.096, width: 0.0, depth: 0.0 },
    ],
    14,
  );
  // The loft runs along +Y; the hand's wrist is at +Z.
  palm.rotateX(Math.PI / 2);
  const fingers = [
    finger(-0.0295, -0.026, 0.072, 0.0108),
    finger(-0.0098, -0.03, 0.08, 0.0112),
    finger(0.0098, -0.028, 0.074, 0.0108),
    finger(0.0285, -0.022, 0.058, 0.0098),
  ].flat();
  const thumb = [
    taperedCapsule(
      new Vector3(-0.024, -0.004, 0.045),
      new Vector3(-0.05, -0.013, 0.006),
      0.0165,
      0.0125,
      8,
      2,
    ),
    taperedCapsule(
      new Vector3(-0.05, -0.013, 0.006),
      new Vector3(-0.056, -0.02, -0.03),
      0.0125,
      0.0098,
      8,
      2,
    ),
  ];
  return merged([palm, ...fingers, ...thumb]);
}

function merged(pieces: BufferGeometry[]): BufferGeometry {
  for (const piece of pieces) piece.deleteAttribute('uv');
  const geometry = mergeGeometries(pieces);
  for (const piece of pieces) piece.dispose();
  return geometry;
}

/** All parts of a figure by name. */
export const FIGURE = {
  upperTrunk: { geometry: upperTrunk, finish: 'garment' },
  lowerTrunk: { geometry: lowerTrunk, finish: 'trousers' },
  neck: { geometry: neck, finish: 'skin' },
  head: { geometry: head, finish: 'skin' },
  visor: { geometry: visor, finish: 'visor' },
  eyes: { geometry: eyes, finish: 'eyes' },
  leftUpperArm: { geometry: upperArm, finish: 'garment' },
  leftLowerArm: { geometry: forearm, finish: 'skin' },
  leftHand: { geometry: () => mirrored(rightHand()), finish: 'skin' },
  rightUpperArm: { geometry: upperArm, finish: 'garment' },
  rightLowerArm: { geometry: forearm, finish: 'skin' },
  rightHand: { geometry: rightHand, finish: 'skin' },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof FIGURE;
export const PART_NAMES = Object.keys(FIGURE) as PartName[];
