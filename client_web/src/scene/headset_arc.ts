/** Owns how the arc of a teleport looks: a row of beads, and a mark where it meets the floor. */

import {
  BoxGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  SphereGeometry,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

const BEADS = 24;
const BEAD_M = 0.012;
const MARK_M = 0.22;
const ABOVE_FLOOR_M = 0.012;
const MAY = new Color('#1f9d6b');
const MAY_NOT = new Color('#d1453b');

const _bead = new Matrix4();

export class HeadsetArc {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({ color: MAY, fog: false, toneMapped: false });
  private readonly beads = new InstancedMesh(new SphereGeometry(BEAD_M, 8, 6), this.material, BEADS);
  private readonly ring = new Mesh(ring(), this.material);
  private readonly cross = new Mesh(cross(), this.material);

  constructor() {
    this.beads.instanceMatrix.setUsage(DynamicDrawUsage);
    this.beads.frustumCulled = false;
    this.group.add(this.beads, this.ring, this.cross);
    this.group.visible = false;
  }

  /** `points`: world xyz from the hand to the floor. Colour and shape both say whether one may go. */
  update(visible: boolean, points: Float64Array, valid: boolean): void {
    this.group.visible = visible;
    if (!visible) return;
    this.material.color.copy(valid ? MAY : MAY_NOT);
    const count = Math.min(BEADS, Math.floor(points.length / 3));
    for (let bead = 0; bead < count; bead += 1) {
      const from = 3 * bead;
      _bead.makeTranslation(points[from] ?? 0, points[from + 1] ?? 0, points[from + 2] ?? 0);
      this.beads.setMatrixAt(bead, _bead);
    }
    this.beads.count = count;
    this.beads.instanceMatrix.needsUpdate = true;
    this.ring.visible = valid;
    this.cross.visible = !valid;
    const mark = valid ? this.ring : this.cross;
    mark.position.set(points[points.length - 3] ?? 0, ABOVE_FLOOR_M, points[points.length - 1] ?? 0);
  }
}

function ring(): RingGeometry {
  const geometry = new RingGeometry(0.7 * MARK_M, MARK_M, 40);
  geometry.rotateX(-Math.PI / 2);
  return geometry;
}

function cross(): BoxGeometry {
  const bars = [1, -1].map((way) => {
    const bar = new BoxGeometry(1.6 * MARK_M, 0.004, 0.05);
    bar.rotateY((way * Math.PI) / 4);
    return bar;
  });
  return mergeGeometries(bars) as BoxGeometry;
}
