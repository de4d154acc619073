/** Owns what marks each person's place on the floor: a soft dark spot and a ring in their colour. */

import {
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  Matrix4,
  PlaneGeometry,
  ShaderMaterial,
  Vector3,
} from 'three';
import type { FigureSlot } from './figure_slot';
import { sendFirst } from './parts';

const SIZE_M = 0.9;

const VERTEX = `
attribute float strength;
attribute float ring;
varying vec2 vAt;
varying float vStrength;
varying float vRing;
varying vec3 vTint;
void main() {
  vAt = 2.0 * uv - 1.0;
  vStrength = strength;
  vRing = ring;
  vTint = instanceColor;
  gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
varying vec2 vAt;
varying float vStrength;
varying float vRing;
varying vec3 vTint;
void main() {
  float away = length(vAt);
  float soft = fwidth(away);
  float spot = 0.34 * pow(max(1.0 - away, 0.0), 1.6);
  float band = 1.0 - smoothstep(0.02 + 0.02 * vRing, 0.02 + 0.02 * vRing + soft, abs(away - 0.62));
  float ring = band * mix(0.45, 1.0, vRing);
  float alpha = max(spot, ring);
  gl_FragColor = vec4(mix(vec3(0.02), vTint, ring / max(alpha, 0.001)), alpha * vStrength);
  if (gl_FragColor.a < 0.004) discard;
  #include <colorspace_fragment>
}`;

const _matrix = new Matrix4();
const _hidden = new Matrix4().makeScale(0, 0, 0);
const _place = new Vector3();
const _colour = new Color();

export class Footprints {
  readonly mesh: InstancedMesh;
  /** Index of the figure whose ring is drawn strongly; −1 for none. */
  highlighted = -1;
  private readonly strengths: InstancedBufferAttribute;
  private readonly rings: InstancedBufferAttribute;
  private readonly colours: InstancedBufferAttribute;

  constructor(capacity: number) {
    const geometry = new PlaneGeometry(SIZE_M, SIZE_M).rotateX(-Math.PI / 2);
    const material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
    });
    this.mesh = new InstancedMesh(geometry, material, capacity);
    this.mesh.frustumCulled = false;
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.strengths = new InstancedBufferAttribute(new Float32Array(capacity), 1);
    this.rings = new InstancedBufferAttribute(new Float32Array(capacity), 1);
    this.colours = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    this.mesh.instanceColor = this.colours;
    geometry.setAttribute('strength', this.strengths);
    geometry.setAttribute('ring', this.rings);
    for (let index = 0; index < capacity; index += 1) this.hide(index);
  }

  place(figure: FigureSlot, colour: string): void {
    const { index } = figure;
    figure.standsAt(_place);
    this.mesh.setMatrixAt(index, _matrix.makeTranslation(_place.x, 0.004, _place.z));
    this.strengths.setX(index, figure.visibility);
    this.rings.setX(index, index === this.highlighted ? 1 : 0);
    _colour.set(colour).toArray(this.colours.array, 3 * index);
  }

  hide(index: number): void {
    this.mesh.setMatrixAt(index, _hidden);
  }

  commit(count: number): void {
    this.mesh.count = count;
    for (const each of [this.mesh.instanceMatrix, this.strengths, this.rings, this.colours]) {
      sendFirst(each, count);
    }
  }
}
