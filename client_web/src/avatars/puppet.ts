/**
 * Owns a VRM as three-vrm reads it, moved by our bones. A page loads this file, three's glTF loader
 * and three-vrm with it, only when somebody wears a VRM of their own.
 */

import { VRMLoaderPlugin, VRMUtils, type VRM } from '@pixiv/three-vrm';
import {
  Matrix4,
  Mesh,
  Quaternion,
  SkinnedMesh,
  Vector3,
  type BufferAttribute,
  type Material,
  type Object3D,
} from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { Floats } from '../motion/bones';
import { averageTwist } from '../body/arms';
import { skeletonFrom } from '../body/rest';
import { BONE, BONE_SIZE, HUMANOID_BONES, TURN, type Skeleton } from '../body/skeleton';
import { writeMatrix } from './skinning';
import type { Worn } from './troupe';

/** VRM 1.0 faces +Z; we face −Z. */
const HALF_TURN = new Matrix4().makeRotationY(Math.PI);
const GONE = 1e-4;
const MISFIT = 'The avatar’s file is broken: its parts do not fit together.';
const LONGEST_STEP_S = 0.05;

const _matrix = new Matrix4();
const _parent = new Matrix4();
const _world = new Quaternion();
const _above = new Quaternion();
const _point = new Vector3();
const _numbers = new Float64Array(12);

interface Joint {
  readonly bone: number;
  readonly node: Object3D;
  /** World matrix at rest, in our axes. */
  readonly rest: Matrix4;
  readonly restInverse: Matrix4;
  readonly restTurn: Quaternion;
}

export class Puppet {
  readonly skeleton: Skeleton;
  private readonly joints: readonly Joint[];
  private readonly bones: Float64Array;
  private readonly materials: readonly Material[];
  private opacity = 1;

  constructor(private readonly vrm: VRM) {
    const { scene, humanoid } = vrm;
    humanoid.autoUpdateHumanBones = false;
    scene.applyMatrix4(HALF_TURN);
    scene.updateMatrixWorld(true);
    const places = new Map<string, readonly [number, number, number]>();
    const joints: Joint[] = [];
    HUMANOID_BONES.forEach((name, bone) => {
      const node = humanoid.getRawBoneNode(name as never);
      if (node === null) return;
      _point.setFromMatrixPosition(node.matrixWorld);
      places.set(name, [_point.x, _point.y, _point.z]);
      const rest = node.matrixWorld.clone();
      const restTurn = node.getWorldQuaternion(new Quaternion());
      joints.push({ bone, node, rest, restInverse: rest.clone().invert(), restTurn });
    });
    this.joints = joints.sort((a, b) => depthOf(a.node) - depthOf(b.node));
    this.skeleton = skeletonFrom(places);
    this.bones = new Float64Array(BONE_SIZE * (HUMANOID_BONES.length + 4));
    this.materials = prepare(scene);
    for (const { node } of joints) node.matrixAutoUpdate = false;
  }

  get root(): Object3D {
    return this.vrm.scene;
  }

  draw(bones: Floats, worn: Worn, passedS: number): void {
    this.take(bones);
    for (const joint of this.joints) this.place(joint, worn.headless);
    this.fade(worn.opacity);
    this.vrm.update(Math.min(passedS, LONGEST_STEP_S));
  }

  /** Copies the bones, and spreads the twist of the arms over what a foreign skin has. */
  private take(bones: Floats): void {
    for (let index = 0; index < this.bones.length; index += 1) this.bones[index] = bones[index] ?? 0;
    for (const { upperArm, upperArmRoot, lowerArm, lowerArmEnd } of [BONE.left, BONE.right]) {
      averageTwist(bones, upperArm, upperArmRoot, _world).toArray(this.bones, BONE_SIZE * upperArm + TURN);
      averageTwist(bones, lowerArm, lowerArmEnd, _world).toArray(this.bones, BONE_SIZE * lowerArm + TURN);
    }
  }

  private place({ bone, node, rest, restTurn }: Joint, headless: boolean): void {
    const carrier = this.skeleton.carrier[bone] ?? bone;
    writeMatrix(this.skeleton, this.bones, carrier, _numbers, 0);
    const n = _numbers as unknown as { readonly [index: number]: number } & Float64Array;
    _matrix.set(
      ...([n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11]] as Twelve),
      ...LAST_ROW,
    );
    _matrix.multiply(rest);
    if (headless && bone === BONE.head) _matrix.scale(_point.setScalar(GONE));
    _parent.copy(node.parent?.matrixWorld ?? _parent.identity()).invert();
    node.matrix.multiplyMatrices(_parent, _matrix);
    node.matrixWorld.copy(_matrix);
    node.matrixWorldNeedsUpdate = true;
    // Constraints and springs read the turn alone.
    _world.fromArray(this.bones, BONE_SIZE * carrier + TURN).multiply(restTurn);
    if (node.parent !== null) _above.setFromRotationMatrix(_matrix.extractRotation(node.parent.matrixWorld));
    node.quaternion.copy(_above.invert().multiply(_world));
  }

  private fade(opacity: number): void {
    if (Math.abs(opacity - this.opacity) < 1e-3) return;
    this.opacity = opacity;
    for (const material of this.materials) {
      material.opacity = opacity;
      const solid = opacity > 0.98;
      if (material.alphaHash === !solid) continue;
      material.alphaHash = !solid;
      material.needsUpdate = true;
    }
  }

  drawn(bone: number, x: number, y: number, z: number): readonly number[] {
    const joint = this.joints.find((each) => each.bone === bone);
    if (joint === undefined) return [];
    _point.set(x, y, z).applyMatrix4(joint.restInverse).applyMatrix4(joint.node.matrixWorld);
    return _point.toArray();
  }

  dispose(): void {
    VRMUtils.deepDispose(this.vrm.scene);
  }
}

type Twelve = [
  number, number, number, number,
  number, number, number, number,
  number, number, number, number,
];
const LAST_ROW: [number, number, number, number] = [0, 0, 0, 1];

function depthOf(node: Object3D): number {
  let depth = 0;
  for (let at = node.parent; at !== null; at = at.parent) depth += 1;
  return depth;
}

/** Makes all meshes throw and take shadow, and be drawn wherever they are; their materials. */
function prepare(scene: Object3D): Material[] {
  const materials = new Set<Material>();
  scene.traverse((object) => {
    object.frustumCulled = false;
    if (!(object instanceof Mesh)) return;
    object.castShadow = true;
    object.receiveShadow = true;
    const own = object.material as Material | Material[];
    for (const material of Array.isArray(own) ? own : [own]) materials.add(material);
  });
  return [...materials];
}

/** A vertex that hangs on a bone that is not there would stop the whole picture. */
function checkSkins(scene: Object3D): void {
  scene.traverse((object) => {
    if (!(object instanceof SkinnedMesh)) return;
    const joints = object.geometry.getAttribute('skinIndex') as BufferAttribute | undefined;
    for (let at = 0; joints !== undefined && at < joints.count; at += 1) {
      for (let part = 0; part < joints.itemSize; part += 1) {
        if (joints.getComponent(at, part) >= object.skeleton.bones.length) throw new Error(MISFIT);
      }
    }
  });
}

/** Reads a VRM that was checked. */
export async function loadPuppet(bytes: Uint8Array): Promise<Puppet> {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  const gltf = await loader.parseAsync(bytes.slice().buffer, '').catch((error: unknown) => {
    throw new Error(MISFIT, { cause: error });
  });
  const vrm = gltf.userData.vrm as VRM | undefined;
  if (vrm?.humanoid === undefined) throw new Error('The file holds no VRM 1.0 person.');
  checkSkins(gltf.scene);
  VRMUtils.removeUnnecessaryVertices(gltf.scene);
  return new Puppet(vrm);
}
