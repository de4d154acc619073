/**
 * Owns the visible lasers of everyone who points: a beam from the hand and a dot where it ends, in
 * the person's colour. All beams are one instanced draw call, all dots another. What is pointed at
 * arrives more rarely than frames are drawn, so ends go evenly from one told point to the next.
 */

import {
  Color,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Float32BufferAttribute,
  Mesh,
  ShaderMaterial,
} from 'three';
import { LaserPath } from './laser_path';

/** One hand that points in this frame; world metres. */
export interface Laser {
  readonly id: number;
  /** 0 left, 1 right. */
  readonly side: number;
  readonly from: { readonly x: number; readonly y: number; readonly z: number };
  readonly to: { readonly x: number; readonly y: number; readonly z: number };
  readonly colour: string;
  /** One's own: `to` is of this very frame and is drawn as it is. */
  readonly own?: boolean;
}

/** As many as are sent to the graphics card at the most: both hands of a session's people. */
const MOST = 256;

const BEAM_VERTEX = `
attribute vec3 from;
attribute vec3 to;
attribute vec3 tint;
attribute float strength;
uniform float pixel;
varying vec3 vTint;
varying float vStrength;
varying float vAcross;
varying float vAlong;
varying float vMetres;
void main() {
  vec4 a = viewMatrix * vec4(from, 1.0);
  vec4 b = viewMatrix * vec4(to, 1.0);
  // Both ends before the camera: a line through it has no side to be drawn on.
  float near = -0.02;
  if (a.z > near && b.z < near) a.xyz = mix(a.xyz, b.xyz, (near - a.z) / (b.z - a.z));
  if (b.z > near && a.z < near) b.xyz = mix(b.xyz, a.xyz, (near - b.z) / (a.z - b.z));
  vec4 here = mix(a, b, position.y);
  vec3 along = b.xyz - a.xyz;
  vec3 across = cross(along, -here.xyz);
  across /= max(length(across), 1e-6);
  float width = max(0.006, 1.6 * pixel * -here.z);
  here.xyz += across * width * position.x;
  vTint = tint;
  vStrength = strength * (a.z > near && b.z > near ? 0.0 : 1.0);
  vAcross = position.x;
  vAlong = position.y;
  vMetres = position.y * length(along);
  gl_Position = projectionMatrix * here;
}`;

const BEAM_FRAGMENT = `
varying vec3 vTint;
varying float vStrength;
varying float vAcross;
varying float vAlong;
varying float vMetres;
void main() {
  float edge = 1.0 - smoothstep(0.35, 1.0, abs(vAcross));
  // It grows out of the hand, however far it goes.
  float fade = mix(0.75, 0.95, vAlong) * smoothstep(0.0, 0.08, vMetres);
  gl_FragColor = vec4(mix(vTint, vec3(1.0), 0.25 * edge), edge * fade * vStrength);
  if (gl_FragColor.a < 0.004) discard;
  #include <colorspace_fragment>
}`;

const DOT_VERTEX = `
attribute vec3 to;
attribute vec3 tint;
attribute float strength;
uniform float pixel;
varying vec2 vAt;
varying vec3 vTint;
varying float vStrength;
void main() {
  vec4 here = viewMatrix * vec4(to, 1.0);
  float size = max(0.028, 7.0 * pixel * -here.z);
  // A little towards the viewer, so that it lies on what it marks.
  here.xyz *= 1.0 - min(0.02 / max(length(here.xyz), 0.1), 0.2);
  here.xy += size * position.xy;
  vAt = position.xy;
  vTint = tint;
  vStrength = strength;
  gl_Position = projectionMatrix * here;
}`;

const DOT_FRAGMENT = `
varying vec2 vAt;
varying vec3 vTint;
varying float vStrength;
void main() {
  float away = length(vAt);
  float soft = fwidth(away);
  float core = 1.0 - smoothstep(0.36, 0.36 + soft, away);
  float rim = 1.0 - smoothstep(0.62, 0.62 + soft, away);
  float glow = 0.4 * pow(max(1.0 - away, 0.0), 1.5);
  vec3 colour = mix(vTint, vec3(1.0), core);
  gl_FragColor = vec4(colour, max(rim, glow) * vStrength);
  if (gl_FragColor.a < 0.004) discard;
  #include <colorspace_fragment>
}`;

const _colour = new Color();

export class Lasers {
  readonly group = new Group();
  private readonly paths: LaserPath[] = [];
  private readonly from = attribute(3);
  private readonly to = attribute(3);
  private readonly tint = attribute(3);
  private readonly strength = attribute(1);
  private readonly pixel = { value: 0.001 };
  private readonly beams: InstancedBufferGeometry;
  private readonly dots: InstancedBufferGeometry;

  constructor() {
    this.beams = this.geometry([-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0]);
    this.dots = this.geometry([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
    this.group.add(this.mesh(this.beams, BEAM_VERTEX, BEAM_FRAGMENT, 1));
    this.group.add(this.mesh(this.dots, DOT_VERTEX, DOT_FRAGMENT, 2));
  }

  /** How many are drawn, those that still fade out among them. */
  get count(): number {
    return this.beams.instanceCount;
  }

  /** Where the end of someone's laser is drawn; undefined without one. For tests and diagnosis. */
  drawnEnd(id: number, side: number): readonly [number, number, number] | undefined {
    const path = this.paths.find((each) => each.id === id && each.side === side && each.visible);
    return path && [path.end.x, path.end.y, path.end.z];
  }

  /**
   * Draws one frame: everyone in `lasers` points now, whoever was there before fades out.
   * `lasers` may be kept and rewritten: nothing of it is remembered, and nothing is allocated
   * but for someone's first laser.
   */
  update(lasers: Iterable<Laser>, passedS: number): void {
    for (const path of this.paths) path.wanted = false;
    for (const laser of lasers) this.pathOf(laser)?.aim(laser);
    let shown = 0;
    for (const path of this.paths) {
      path.advance(passedS);
      if (path.visible && shown < MOST) this.write(path, shown++);
    }
    this.beams.instanceCount = shown;
    this.dots.instanceCount = shown;
    this.group.visible = shown > 0;
    if (shown === 0) return;
    for (const each of [this.from, this.to, this.tint, this.strength]) send(each, shown);
  }

  private pathOf(laser: Laser): LaserPath | undefined {
    let free: LaserPath | undefined;
    for (const path of this.paths) {
      if (path.visible && path.id === laser.id && path.side === laser.side) return path;
      if (!path.visible && !path.wanted) free ??= path;
    }
    if (free === undefined && this.paths.length < MOST) {
      free = new LaserPath();
      this.paths.push(free);
    }
    free?.begin(laser.id, laser.side);
    return free;
  }

  private write(path: LaserPath, index: number): void {
    path.from.toArray(this.from.array, 3 * index);
    path.end.toArray(this.to.array, 3 * index);
    _colour.setRGB(path.red, path.green, path.blue).toArray(this.tint.array, 3 * index);
    this.strength.array[index] = path.strength;
  }

  private geometry(corners: readonly number[]): InstancedBufferGeometry {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(corners, 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute('from', this.from);
    geometry.setAttribute('to', this.to);
    geometry.setAttribute('tint', this.tint);
    geometry.setAttribute('strength', this.strength);
    geometry.instanceCount = 0;
    return geometry;
  }

  private mesh(
    geometry: InstancedBufferGeometry,
    vertexShader: string,
    fragmentShader: string,
    order: number,
  ): Mesh {
    const material = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      uniforms: { pixel: this.pixel },
      transparent: true,
      depthWrite: false,
      side: 2,
    });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = order;
    // A pixel's size a metre away, whatever camera draws: lines stay visible in the distance.
    mesh.onBeforeRender = (renderer, _scene, camera) => {
      const height = renderer.getRenderTarget()?.height ?? renderer.domElement.height;
      const scale = camera.projectionMatrix.elements[5] ?? 1;
      this.pixel.value = 2 / (Math.max(height, 1) * scale);
      material.uniformsNeedUpdate = true;
    };
    return mesh;
  }
}

function attribute(size: number): InstancedBufferAttribute {
  const result = new InstancedBufferAttribute(new Float32Array(MOST * size), size);
  result.setUsage(DynamicDrawUsage);
  return result;
}

function send(each: InstancedBufferAttribute, count: number): void {
  each.clearUpdateRanges();
  each.addUpdateRange(0, count * each.itemSize);
  each.needsUpdate = true;
}
