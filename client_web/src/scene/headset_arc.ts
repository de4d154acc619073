/** Owns how the arc of a teleport looks: a line through the air, and a mark where it meets the floor. */

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

const POINTS = 24;
/** The line is a prism of three faces, thicker farther away, so that it looks equally thick. */
const CORNERS = 3;
const THIN_M = 0.003;
const THICKENS = 0.0022;
const MARK_M = 0.25;
const ABOVE_FLOOR_M = 0.012;
const MAY = new Color('#1f9d6b');
const MAY_NOT = new Color('#d1453b');
const TINY_M = 1e-6;

export class HeadsetArc {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({
    color: MAY,
    fog: false,
    toneMapped: false,
    side: DoubleSide,
  });
  private readonly corners = new Float32Array(3 * POINTS * CORNERS);
  private readonly attribute = new BufferAttribute(this.corners, 3);
  private readonly ring = new Mesh(ring(), this.material);
  private readonly cross = new Mesh(cross(), this.material);

  constructor() {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', this.attribute.setUsage(DynamicDrawUsage));
    geometry.setIndex(faces());
    const line = new Mesh(geometry, this.material);
    line.frustumCulled = false;
    this.group.add(line, this.ring, this.cross);
    this.group.visible = false;
  }

  /** `points`: POINTS world places from the hand to the floor. Colour and shape say whether one may go. */
  update(visible: boolean, points: Float64Array, valid: boolean): void {
    this.group.visible = visible;
    if (!visible) return;
    this.material.color.copy(valid ? MAY : MAY_NOT);
    for (let point = 0; point < POINTS; point += 1) this.round(points, point);
    this.attribute.needsUpdate = true;
    this.ring.visible = valid;
    this.cross.visible = !valid;
    const last = 3 * (POINTS - 1);
    const mark = valid ? this.ring : this.cross;
    mark.position.set(points[last] ?? 0, ABOVE_FLOOR_M, points[last + 2] ?? 0);
  }

  /** Lays the corners around one point: across the arc's upright plane, and within it. */
  private round(points: Float64Array, point: number): void {
    const from = 3 * Math.max(point - 1, 0);
    const to = 3 * Math.min(point + 1, POINTS - 1);
    const dx = (points[to] ?? 0) - (points[from] ?? 0);
    const dy = (points[to + 1] ?? 0) - (points[from + 1] ?? 0);
    const dz = (points[to + 2] ?? 0) - (points[from + 2] ?? 0);
    const level = Math.sqrt(dx * dx + dz * dz);
    const length = Math.max(Math.sqrt(level * level + dy * dy), TINY_M);
    const sideX = level > TINY_M ? -dz / level : 1;
    const sideZ = level > TINY_M ? dx / level : 0;
    const lean = level > TINY_M ? -dy / (length * level) : 0;
    const x = points[3 * point] ?? 0;
    const y = points[3 * point + 1] ?? 0;
    const z = points[3 * point + 2] ?? 0;
    const far = (x - (points[0] ?? 0)) ** 2 + (y - (points[1] ?? 0)) ** 2 + (z - (points[2] ?? 0)) ** 2;
    const thick = THIN_M + THICKENS * Math.sqrt(far);
    for (let corner = 0; corner < CORNERS; corner += 1) {
      const angle = Math.PI / 2 + (2 * Math.PI * corner) / CORNERS;
      const aside = thick * Math.cos(angle);
      const above = thick * Math.sin(angle);
      const at = 3 * (CORNERS * point + corner);
      this.corners[at] = x + aside * sideX + above * lean * dx;
      this.corners[at + 1] = y + (above * level) / length;
      this.corners[at + 2] = z + aside * sideZ + above * lean * dz;
    }
  }
}

/** Triangles between the corners of neighbouring points. */
function faces(): number[] {
  const indices: number[] = [];
  for (let point = 0; point < POINTS - 1; point += 1) {
    for (let corner = 0; corner < CORNERS; corner += 1) {
      const here = CORNERS * point + corner;
      const beside = CORNERS * point + ((corner + 1) % CORNERS);
      indices.push(here, beside, here + CORNERS, beside, beside + CORNERS, here + CORNERS);
    }
  }
  return indices;
}

function ring(): RingGeometry {
  const geometry = new RingGeometry(0.72 * MARK_M, MARK_M, 40);
  geometry.rotateX(-Math.PI / 2);
  return geometry;
}

function cross(): BufferGeometry {
  const bars = [1, -1].map((way) => {
    const bar = new BoxGeometry(1.6 * MARK_M, 0.004, 0.05);
    bar.rotateY((way * Math.PI) / 4);
    return bar;
  });
  return mergeGeometries(bars);
}
