/** Owns the darkness before the eyes of someone who is on a jump. */

import { BackSide, Mesh, MeshBasicMaterial, SphereGeometry } from 'three';

/** Around both eyes, and beyond the near plane. */
const RADIUS_M = 0.5;
const ABOVE_ALL = 1000;

export class HeadsetShade {
  /** Goes onto the camera. */
  readonly mesh: Mesh<SphereGeometry, MeshBasicMaterial>;

  constructor() {
    const material = new MeshBasicMaterial({
      color: 0x000000,
      side: BackSide,
      transparent: true,
      depthTest: false,
      depthWrite: false,
      fog: false,
    });
    this.mesh = new Mesh(new SphereGeometry(RADIUS_M, 12, 8), material);
    this.mesh.renderOrder = ABOVE_ALL;
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  /** 0 to 1. */
  update(shade: number): void {
    this.mesh.visible = shade > 0;
    this.mesh.material.opacity = shade;
  }
}
