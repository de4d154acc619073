/**
 * Owns the page that draws the avatars' portraits for the join card: `tests/browser/portraits.py`
 * opens it and writes what it returns. Each portrait is drawn with a white garment and comes with a
 * mask of that garment, which the card dyes in the person's colour.
 */

import {
  BufferAttribute,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  NeutralToneMapping,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
  type BufferGeometry,
  type Object3D,
} from 'three';
import { GLTFLoader, type GLTF } from 'three/addons/loaders/GLTFLoader.js';
import { DEFAULT_LENGTHS, POSE_SIZE } from '../../src/motion/bones';
import { poseFromAngles } from '../../src/motion/kinematics';
import { Crowd } from '../../src/scene/crowd';
import { LIGHT } from '../../src/scene/palette';

export interface Portrait {
  /** Data addresses of WebP pictures. */
  readonly picture: string;
  readonly mask: string;
}

interface Sitter {
  readonly object: Object3D;
  readonly eyesM: number;
  readonly dress: (colour: Color) => void;
}

const SIZE = 208;
const QUALITY = 0.9;
const ARMS_DOWN_RAD = 1.22;
const HIGH_M = 0.52;
const EYES_FROM_TOP_M = 0.185;
const WHITE = new Color(1, 1, 1);
const BLACK = new Color(0, 0, 0);

const canvas = document.createElement('canvas');
const renderer = new WebGLRenderer({ canvas, alpha: true, antialias: true, preserveDrawingBuffer: true });
renderer.setSize(SIZE, SIZE, false);
renderer.toneMapping = NeutralToneMapping;

async function portrait(name: string): Promise<Portrait> {
  const sitter = name === 'figure' ? figure() : await avatar(name);
  const scene = new Scene();
  const sun = new DirectionalLight(0xffffff, 2.1);
  sun.position.set(1.5, 2.5, 3);
  scene.add(sitter.object, sun, new HemisphereLight(LIGHT.skyLight, LIGHT.groundLight, 1.9));
  const camera = cameraFor(sitter.eyesM);
  const draw = (colour: Color): ImageData => {
    sitter.dress(colour);
    renderer.render(scene, camera);
    return pixels();
  };
  const white = draw(WHITE);
  return { picture: encoded(white), mask: encoded(maskOf(white, draw(BLACK))) };
}

/** Head and shoulders, a little from the side. */
function cameraFor(eyesM: number): PerspectiveCamera {
  const camera = new PerspectiveCamera(14, 1, 0.1, 10);
  const distance = HIGH_M / 2 / Math.tan((camera.fov * Math.PI) / 360);
  const middle = new Vector3(0, eyesM + EYES_FROM_TOP_M - HIGH_M / 2, 0);
  camera.position.set(0.34 * distance, 0.06 * distance, 0.94 * distance).add(middle);
  camera.lookAt(middle);
  return camera;
}

async function avatar(name: string): Promise<Sitter> {
  const gltf = await new GLTFLoader().loadAsync(`/avatars/${name}.0.vrm`);
  const bones = humanBones(gltf);
  const turn = async (bone: string, radians: number) => {
    const node = (await gltf.parser.getDependency('node', bones.get(bone) ?? -1)) as Object3D;
    node.rotateZ(radians);
  };
  await turn('leftUpperArm', -ARMS_DOWN_RAD);
  await turn('rightUpperArm', ARMS_DOWN_RAD);
  const head = (await gltf.parser.getDependency('node', bones.get('head') ?? -1)) as Object3D;
  gltf.scene.updateMatrixWorld(true);
  const meshes: Mesh[] = [];
  gltf.scene.traverse((each) => {
    if (each instanceof Mesh) meshes.push(each);
    each.frustumCulled = false;
  });
  const dyes = meshes.map(({ geometry }) => dye(geometry as BufferGeometry));
  return {
    object: gltf.scene,
    eyesM: head.getWorldPosition(new Vector3()).y + 0.06,
    dress: (colour) => dyes.forEach((each) => each(colour)),
  };
}

function humanBones({ parser }: GLTF): Map<string, number> {
  const extensions = parser.json.extensions as Record<string, unknown> | undefined;
  const vrm = extensions?.['VRMC_vrm'] as { humanoid: { humanBones: Record<string, { node: number }> } };
  return new Map(Object.entries(vrm.humanoid.humanBones).map(([name, { node }]) => [name, node]));
}

/** Colours a mesh where it may be coloured, anew each time. */
function dye(geometry: BufferGeometry): (colour: Color) => void {
  const tint = geometry.getAttribute('_tint');
  const given = geometry.getAttribute('color');
  if (tint === undefined || given === undefined) return () => undefined;
  const mixed = new BufferAttribute(new Float32Array(3 * given.count), 3);
  geometry.setAttribute('color', mixed);
  return ({ r, g, b }) => {
    for (let index = 0; index < given.count; index += 1) {
      const share = tint.getX(index);
      const mix = (own: number, other: number) => own * (1 - share) + other * share;
      mixed.setXYZ(index, mix(given.getX(index), r), mix(given.getY(index), g), mix(given.getZ(index), b));
    }
    mixed.needsUpdate = true;
  };
}

/** The capsule figure, which has no file. */
function figure(): Sitter {
  const crowd = new Crowd(1);
  const object = new Group();
  object.add(crowd.group);
  object.rotation.y = Math.PI; // poses look along −Z
  const angles = new Float64Array(15);
  angles[2] = angles[9] = 0.16;
  const pose = new Float64Array(POSE_SIZE);
  poseFromAngles([0, 1.37, 0, 0, 0, 0, 1], [0, 0, 0, 1], angles, 0, pose);
  const source = (_: number, out: { [index: number]: number }) => {
    pose.forEach((value, index) => (out[index] = value));
    return true;
  };
  crowd.wear(LIGHT);
  return {
    object,
    eyesM: 1.62,
    dress: (colour) => {
      const look = {
        colour: `#${colour.getHexString()}`,
        lengths: DEFAULT_LENGTHS,
        connected: true,
        provenance: [2, 2, 2],
      };
      crowd.update([0], source, () => look, 10);
    },
  };
}

function pixels(): ImageData {
  const copy = document.createElement('canvas');
  copy.width = copy.height = SIZE;
  const context = copy.getContext('2d');
  if (context === null) throw new Error('no 2D canvas');
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, SIZE, SIZE);
}

/** Where a white garment differs from a black one, as opacity. */
function maskOf(white: ImageData, black: ImageData): ImageData {
  const mask = new ImageData(SIZE, SIZE);
  for (let at = 0; at < mask.data.length; at += 4) {
    const light = (white.data[at + 1] ?? 0) + 1;
    const dark = (black.data[at + 1] ?? 0) + 1;
    const share = Math.min(Math.max((1.04 * (light - dark)) / light, 0), 1);
    mask.data.set([255, 255, 255, Math.round(share * (white.data[at + 3] ?? 0))], at);
  }
  return mask;
}

function encoded(image: ImageData): string {
  const copy = document.createElement('canvas');
  copy.width = copy.height = SIZE;
  copy.getContext('2d')?.putImageData(image, 0, 0);
  return copy.toDataURL('image/webp', QUALITY);
}

declare global {
  interface Window {
    portrait?: (name: string) => Promise<Portrait>;
  }
}
window.portrait = portrait;
