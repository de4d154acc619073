/**
 * Owns the drawing of many bodies of one model: bone matrices of everyone in one texture, a row a
 * person; one instanced draw call for each level of a model, in the picture and in the shadow.
 */

import {
  DataTexture,
  DynamicDrawUsage,
  FloatType,
  InstancedBufferAttribute,
  InstancedBufferGeometry,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  NearestFilter,
  RGBADepthPacking,
  RGBAFormat,
  type BufferGeometry,
  type Material,
  type WebGLProgramParametersWithUniforms,
} from 'three';
import type { Floats } from '../motion/bones';
import { BONE_COUNT, BONE_SIZE, type Skeleton } from '../body/skeleton';

/** Texels before the matrices: colour and opacity; opacities of the hands and whether the head hides. */
const HEADER_TEXELS = 2;
const TEXELS = HEADER_TEXELS + 3 * BONE_COUNT;
const ROW_FLOATS = 4 * TEXELS;
const FIRST_ROWS = 16;

/** What is drawn of everyone: rows of a texture. */
export class BodyRows {
  private rows = 0;
  private floats = new Float32Array(0);
  readonly uniform: { value: DataTexture };

  constructor() {
    this.uniform = { value: this.grown(FIRST_ROWS) };
  }

  private grown(rows: number): DataTexture {
    const floats = new Float32Array(rows * ROW_FLOATS);
    floats.set(this.floats);
    this.floats = floats;
    this.rows = rows;
    const texture = new DataTexture(floats, TEXELS, rows, RGBAFormat, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.generateMipmaps = false;
    return texture;
  }

  /** Makes sure that there is this row. */
  reserve(row: number): void {
    if (row < this.rows) return;
    this.uniform.value.dispose();
    this.uniform.value = this.grown(2 ** Math.ceil(Math.log2(row + 1)));
  }

  /** Writes a person's colour (linear rgb) and opacities, all 0…1. */
  dress(
    row: number,
    colour: { readonly r: number; readonly g: number; readonly b: number },
    opacity: number,
    leftHand: number,
    rightHand: number,
    headless: boolean,
  ): void {
    const at = row * ROW_FLOATS;
    const { floats } = this;
    floats[at] = colour.r;
    floats[at + 1] = colour.g;
    floats[at + 2] = colour.b;
    floats[at + 3] = opacity;
    floats[at + 4] = leftHand;
    floats[at + 5] = rightHand;
    floats[at + 6] = headless ? 1 : 0;
  }

  /** Writes the matrices of a solved body (see body/skeleton.ts), three texels a bone: their rows. */
  pose(row: number, skeleton: Skeleton, bones: Floats): void {
    for (let bone = 0; bone < BONE_COUNT; bone += 1) {
      writeMatrix(skeleton, bones, bone, this.floats, row * ROW_FLOATS + 4 * (HEADER_TEXELS + 3 * bone));
    }
  }

  /** Where a bone takes a point of the rest skeleton, read back from what is drawn; three numbers. */
  drawn(row: number, bone: number, x: number, y: number, z: number): [number, number, number] {
    const at = row * ROW_FLOATS + 4 * (HEADER_TEXELS + 3 * bone);
    const f = (index: number) => this.floats[at + index] ?? 0;
    const line = (first: number) => f(first) * x + f(first + 1) * y + f(first + 2) * z + f(first + 3);
    return [line(0), line(4), line(8)];
  }

  commit(): void {
    this.uniform.value.needsUpdate = true;
  }

  dispose(): void {
    this.uniform.value.dispose();
  }
}

function at(values: Floats, index: number): number {
  return values[index] ?? 0;
}

/** Writes twelve numbers: rows of (rotation · stretch | position − rotation · stretch · rest). */
export function writeMatrix(
  skeleton: Skeleton,
  bones: Floats,
  bone: number,
  out: Float32Array | Float64Array,
  to: number,
): void {
  const from = BONE_SIZE * bone;
  const x = at(bones, from + 3);
  const y = at(bones, from + 4);
  const z = at(bones, from + 5);
  const w = at(bones, from + 6);
  const across = at(bones, from + 8);
  const more = at(bones, from + 7) - across;
  const { axis, rest } = skeleton;
  const ax = at(axis, 3 * bone);
  const ay = at(axis, 3 * bone + 1);
  const az = at(axis, 3 * bone + 2);
  for (let line = 0; line < 3; line += 1) {
    // A row of the rotation's matrix.
    const r0 = line === 0 ? 1 - 2 * (y * y + z * z) : line === 1 ? 2 * (x * y + z * w) : 2 * (x * z - y * w);
    const r1 = line === 0 ? 2 * (x * y - z * w) : line === 1 ? 1 - 2 * (x * x + z * z) : 2 * (y * z + x * w);
    const r2 = line === 0 ? 2 * (x * z + y * w) : line === 1 ? 2 * (y * z - x * w) : 1 - 2 * (x * x + y * y);
    const along = more * (r0 * ax + r1 * ay + r2 * az);
    const m0 = across * r0 + along * ax;
    const m1 = across * r1 + along * ay;
    const m2 = across * r2 + along * az;
    const moved = m0 * at(rest, 3 * bone) + m1 * at(rest, 3 * bone + 1) + m2 * at(rest, 3 * bone + 2);
    out[to + 4 * line] = m0;
    out[to + 4 * line + 1] = m1;
    out[to + 4 * line + 2] = m2;
    out[to + 4 * line + 3] = at(bones, from + line) - moved;
  }
}

const VERTEX_HEAD = `
attribute float row;
attribute vec4 bones;
attribute vec4 weights;
attribute vec4 kind;
attribute vec3 base;
uniform highp sampler2D bodies;
varying vec3 vBase;
varying float vOpacity;
varying float vHidden;
vec4 texelOf(int x) { return texelFetch(bodies, ivec2(x, int(row)), 0); }
mat4 boneOf(float bone) {
  int x = ${HEADER_TEXELS} + 3 * int(bone);
  return transpose(mat4(texelOf(x), texelOf(x + 1), texelOf(x + 2), vec4(0.0, 0.0, 0.0, 1.0)));
}
`;

const VERTEX_MAIN = `
mat4 skin = weights.x * boneOf(bones.x) + weights.y * boneOf(bones.y)
  + weights.z * boneOf(bones.z) + weights.w * boneOf(bones.w);
vec4 worn = texelOf(0);
vec4 known = texelOf(1);
vBase = base * mix(vec3(1.0), worn.rgb, kind.w);
vOpacity = worn.a * mix(1.0, known.x, kind.x) * mix(1.0, known.y, kind.y);
vHidden = known.z * kind.z;
`;

function skinned(shader: WebGLProgramParametersWithUniforms, rows: BodyRows): void {
  shader.uniforms.bodies = rows.uniform;
  shader.vertexShader = shader.vertexShader
    .replace('#include <common>', `${VERTEX_HEAD}#include <common>`)
    .replace('#include <uv_vertex>', `#include <uv_vertex>${VERTEX_MAIN}`)
    .replace(
      '#include <beginnormal_vertex>',
      '#include <beginnormal_vertex>\nobjectNormal = normalize(mat3(skin) * objectNormal);',
    )
    .replace(
      '#include <begin_vertex>',
      '#include <begin_vertex>\ntransformed = (skin * vec4(position, 1.0)).xyz;',
    );
  shader.fragmentShader = shader.fragmentShader
    .replace(
      '#include <common>',
      'varying vec3 vBase;\nvarying float vOpacity;\nvarying float vHidden;\n#include <common>',
    )
    .replace(
      '#include <color_fragment>',
      'if (vHidden > 0.5) discard;\ndiffuseColor.rgb *= vBase;\ndiffuseColor.a *= vOpacity;',
    );
}

/** The material of all bodies of shipped models. */
export function bodyMaterial(rows: BodyRows, multisampled: boolean): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.78, metalness: 0 });
  material.alphaToCoverage = multisampled;
  material.alphaHash = !multisampled;
  material.onBeforeCompile = (shader) => skinned(shader, rows);
  return material;
}

/** Its shadow: of the whole body, head and faint hands too. */
export function shadowMaterial(rows: BodyRows): MeshDepthMaterial {
  const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  material.onBeforeCompile = (shader) => skinned(shader, rows);
  return material;
}

/** One level of a model for everyone who is drawn with it. */
export class LevelMesh {
  readonly mesh: Mesh<InstancedBufferGeometry, Material>;
  private readonly rowOf: InstancedBufferAttribute;
  private readonly geometry = new InstancedBufferGeometry();
  private count = 0;

  constructor(
    readonly source: BufferGeometry,
    capacity: number,
    material: Material,
    shadow: Material,
  ) {
    for (const [name, attribute] of Object.entries(source.attributes)) {
      this.geometry.setAttribute(name, attribute);
    }
    this.geometry.setIndex(source.getIndex());
    this.rowOf = new InstancedBufferAttribute(new Float32Array(capacity), 1);
    this.rowOf.setUsage(DynamicDrawUsage);
    this.geometry.setAttribute('row', this.rowOf);
    this.geometry.instanceCount = 0;
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.customDepthMaterial = shadow;
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.visible = false;
  }

  begin(): void {
    this.count = 0;
  }

  add(row: number): void {
    this.rowOf.setX(this.count, row);
    this.count += 1;
  }

  commit(): void {
    this.mesh.visible = this.count > 0;
    this.geometry.instanceCount = this.count;
    if (this.count > 0) this.rowOf.needsUpdate = true;
  }

  get triangles(): number {
    return (this.count * (this.source.getIndex()?.count ?? 0)) / 3;
  }

  dispose(): void {
    this.geometry.dispose();
  }
}
