/**
 * Owns the drawing of one kind of body part for everyone: a single instanced mesh, with a colour
 * and an opacity for each instance. Opacity is by coverage (multisampling, or without it by leaving
 * out pixels), so nothing has to be sorted and a fading figure does not show its own insides.
 */

import {
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  type BufferGeometry,
  type Quaternion,
  type Vector3,
} from 'three';

export interface Surface {
  readonly roughness: number;
  readonly emissive?: number;
}

const _matrix = new Matrix4();
const _hidden = new Matrix4().makeScale(0, 0, 0);

function material(surface: Surface, multisampled: boolean): MeshStandardMaterial {
  const result = new MeshStandardMaterial({ roughness: surface.roughness, metalness: 0 });
  result.alphaToCoverage = multisampled;
  result.alphaHash = !multisampled;
  if (surface.emissive !== undefined) {
    result.emissive.set('#ffffff');
    result.emissiveIntensity = surface.emissive;
  }
  result.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', 'attribute float opacity;\nvarying float vOpacity;\n#include <common>')
      .replace('#include <begin_vertex>', 'vOpacity = opacity;\n#include <begin_vertex>');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', 'varying float vOpacity;\n#include <common>')
      .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.a *= vOpacity;');
  };
  return result;
}

/** Marks the first rows of an attribute as changed; the rest is not sent again. */
export function sendFirst(attribute: InstancedBufferAttribute, count: number): void {
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, count * attribute.itemSize);
  attribute.needsUpdate = true;
}

export class PartMesh {
  readonly mesh: InstancedMesh<BufferGeometry, MeshStandardMaterial>;
  private readonly opacities: InstancedBufferAttribute;

  constructor(geometry: BufferGeometry, surface: Surface, capacity: number, multisampled: boolean) {
    this.mesh = new InstancedMesh(geometry, material(surface, multisampled), capacity);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.opacities = new InstancedBufferAttribute(new Float32Array(capacity).fill(1), 1);
    this.opacities.setUsage(DynamicDrawUsage);
    geometry.setAttribute('opacity', this.opacities);
    this.mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    // Bodies move; a bounding sphere found once would cull people who walked out of it.
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    for (let index = 0; index < capacity; index += 1) this.hide(index);
  }

  place(index: number, position: Vector3, rotation: Quaternion, scale: Vector3): void {
    this.mesh.setMatrixAt(index, _matrix.compose(position, rotation, scale));
  }

  hide(index: number): void {
    this.mesh.setMatrixAt(index, _hidden);
  }

  paint(index: number, colour: Color): void {
    this.mesh.setColorAt(index, colour);
    if (this.mesh.instanceColor !== null) this.mesh.instanceColor.needsUpdate = true;
  }

  setOpacity(index: number, opacity: number): void {
    this.opacities.setX(index, opacity);
  }

  /** Sends the first `count` instances to the graphics card, and draws only those; once a frame. */
  commit(count: number): void {
    this.mesh.count = count;
    this.mesh.visible = count > 0;
    if (count === 0) return;
    sendFirst(this.mesh.instanceMatrix, count);
    sendFirst(this.opacities, count);
  }

  /** The transform as drawn: what the browser test compares. */
  drawn(index: number, matrix: Matrix4): void {
    this.mesh.getMatrixAt(index, matrix);
  }
}
