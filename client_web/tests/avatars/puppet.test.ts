import { Color, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { PLACE } from '../../src/motion/bones';
import { checkAvatar } from '../../src/avatars/check';
import { loadPuppet } from '../../src/avatars/puppet';
import { BONE } from '../../src/body/skeleton';
import { Person, someAngles, uprightChest } from '../body/people';
import { random } from '../traces';
import { shippedFile } from './shipped';

const SIDES = ['left', 'right'] as const;
const WORN = { colour: new Color(), opacity: 1, leftHand: 1, rightHand: 1, headless: false, heightPx: 900 };

describe('a person’s own VRM', () => {
  it('is moved so that its eyes, elbows and palms are where they are tracked', async () => {
    const file = shippedFile('woman.0.vrm'); // a VRM 1.0 as any other
    expect(checkAvatar(file)).toBeUndefined();
    const puppet = await loadPuppet(file);
    const person = new Person(puppet.skeleton);
    const next = random(11);
    for (let time = 0; time < 20; time += 1) {
      person.show({ chest: [next(), uprightChest() - 0.4 * next(), next()], turn: 6 * next(), angles: someAngles(next) });
      puppet.draw(person.body.bones, WORN, 1 / 60);
      const at = (bone: number, point: Vector3) => new Vector3(...(puppet.drawn(bone, point.x, point.y, point.z) as [number, number, number]));
      const rest = (bone: number) => new Vector3().fromArray(puppet.skeleton.rest, 3 * bone);
      const place = (offset: number) => new Vector3().fromArray(person.places, offset);
      const eyes = at(BONE.head, new Vector3().fromArray(puppet.skeleton.eyes));
      expect(eyes.distanceTo(place(PLACE.eyes))).toBeLessThan(1e-5);
      SIDES.forEach((side, index) => {
        const palm = at(BONE[side].hand, new Vector3().fromArray(puppet.skeleton.palms, 3 * index));
        expect(palm.distanceTo(place(PLACE[`${side}Palm`]))).toBeLessThan(1e-5);
        const elbow = at(BONE[side].lowerArm, rest(BONE[side].lowerArm));
        expect(elbow.distanceTo(place(PLACE[`${side}Elbow`]))).toBeLessThan(1e-5);
      });
    }
    puppet.dispose();
  });

  it('keeps its bones where they were put when the picture is drawn', async () => {
    const puppet = await loadPuppet(shippedFile('man.2.vrm'));
    const person = new Person(puppet.skeleton).show({ chest: [0, 1.3, 0], turn: 1 });
    puppet.draw(person.body.bones, WORN, 1 / 60);
    const hand = puppet.drawn(BONE.left.hand, 0, 0, 0);
    puppet.root.updateMatrixWorld();
    puppet.drawn(BONE.left.hand, 0, 0, 0).forEach((value, axis) => expect(value).toBeCloseTo(hand[axis] ?? 0, 5));
    puppet.dispose();
  });

  it('has no head for its own eyes', async () => {
    const puppet = await loadPuppet(shippedFile('man.2.vrm'));
    const person = new Person(puppet.skeleton).show({ chest: [0, 1.3, 0] });
    const height = (headless: boolean) => {
      puppet.draw(person.body.bones, { ...WORN, headless }, 1 / 60);
      const [x = 0, y = 0, z = 0] = puppet.skeleton.eyes;
      return puppet.drawn(BONE.head, x, y + 0.1, z)[1] ?? 0;
    };
    expect(height(false) - height(true)).toBeGreaterThan(0.1);
    expect(height(true)).toBeLessThan(person.places[PLACE.eyes + 1] ?? 0);
    puppet.dispose();
  });

  it('is refused when its skin hangs on bones that are not there', async () => {
    const file = shippedFile('man.2.vrm');
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const chunk = file.subarray(20, 20 + view.getUint32(12, true));
    const json = JSON.parse(new TextDecoder().decode(chunk)) as { skins: { joints: number[]; inverseBindMatrices?: number }[] };
    for (const skin of json.skins) {
      skin.joints = skin.joints.slice(0, 1);
      delete skin.inverseBindMatrices;
    }
    chunk.set(new TextEncoder().encode(JSON.stringify(json).padEnd(chunk.length)));
    await expect(loadPuppet(file)).rejects.toThrow('its parts do not fit together');
  });
});
