import { PerspectiveCamera, Vector3 } from 'three';
import { describe, expect, it, vi } from 'vitest';
import { levelFor } from '../../src/avatars/detail';
import { Wardrobe, type AvatarFiles } from '../../src/avatars/wardrobe';
import { DEFAULT_LENGTHS, type Place } from '../../src/motion/bones';
import { poseFromAngles } from '../../src/motion/kinematics';
import { Provenance } from '../../src/protocol/generated';
import { Crowd, type DrawnName, type PoseSource } from '../../src/scene/crowd';
import type { Appearance } from '../../src/scene/figure_slot';
import { snapshot } from '../traces';
import { shippedFile, SHIPPED, SHIPPED_JSON } from './shipped';

const HASH = 'ab'.repeat(32);
const FILES: AvatarFiles = {
  list: () => Promise.resolve(SHIPPED_JSON),
  shipped: (file) => Promise.resolve(shippedFile(file)),
  own: () => Promise.resolve(shippedFile('man.1.vrm')),
};

function look(avatar: string): Appearance {
  const { TRACKED } = Provenance;
  return { colour: '#6093de', lengths: DEFAULT_LENGTHS, connected: true, provenance: [TRACKED, TRACKED, TRACKED], avatar };
}

const rows = snapshot(1e6, [1]);
const standing: PoseSource = (id, pose) => {
  poseFromAngles(rows.worldFromChest, rows.headRotation, rows.jointAngles, 0, pose);
  pose[0] = (pose[0] ?? 0) + id;
  return true;
};

class Picture {
  readonly troubles: string[] = [];
  readonly crowd: Crowd;

  constructor(files: Partial<AvatarFiles> = {}, capacity = 64) {
    const told = (avatar: string, why: string) => this.troubles.push(`${avatar}: ${why}`);
    this.crowd = new Crowd(capacity, true, new Wardrobe({ ...FILES, ...files }, told));
  }

  draw(looks: readonly string[], frames = 1): this {
    const ids = looks.map((_, index) => index + 1);
    for (let frame = 0; frame < frames; frame += 1) {
      this.crowd.update(ids, standing, (id) => (looks[id - 1] === undefined ? undefined : look(looks[id - 1] ?? '')), 1 / 60);
    }
    return this;
  }

  avatar(id: number): string {
    const figure = this.crowd.figure(id);
    return figure === undefined ? '' : this.crowd.worn(figure).avatar;
  }

  /** Draws until everyone is more than a figure, or the time is over. */
  async dress(looks: readonly string[]): Promise<this> {
    await vi.waitFor(() => {
      this.draw(looks);
      looks.forEach((_, index) => expect(this.avatar(index + 1)).not.toBe('figure'));
    }, { timeout: 10_000, interval: 5 });
    return this;
  }
}

describe('a person in a shipped avatar', () => {
  it('is a figure until the avatar is there, then wears it, with the parts where they are tracked', async () => {
    const picture = new Picture().draw(['woman']);
    expect(picture.avatar(1)).toBe('figure');
    await picture.dress(['woman']);
    const drawn = picture.crowd.drawn(1);
    const figure = picture.crowd.figure(1);
    const expected: readonly (readonly [DrawnName, Place])[] = [
      ['upperTrunk', 'chest'],
      ['head', 'eyes'],
      ['leftUpperArm', 'leftShoulder'],
      ['leftLowerArm', 'leftElbow'],
      ['leftHand', 'leftPalm'],
      ['rightUpperArm', 'rightShoulder'],
      ['rightLowerArm', 'rightElbow'],
      ['rightHand', 'rightPalm'],
    ];
    for (const [part, place] of expected) {
      const actual = new Vector3(...(drawn[part]?.position as [number, number, number]));
      expect(actual.distanceTo(figure?.placeOf(place, new Vector3()) ?? new Vector3()), part).toBeLessThan(1e-5);
    }
    expect(drawn.leftFoot?.position[1]).toBeLessThan(0.2);
    expect(picture.troubles).toEqual([]);
  });

  it('gets one by the page where none was chosen, the same at every sight', async () => {
    const picture = await new Picture().dress(['', '', '', '']);
    const worn = [1, 2, 3, 4].map((id) => picture.avatar(id));
    expect(new Set(worn).size).toBe(Math.min(4, SHIPPED.length));
    const again = await new Picture().dress(['', '', '', '']);
    expect([1, 2, 3, 4].map((id) => again.avatar(id))).toEqual(worn);
  });

  it('may change it, and be a figure again', async () => {
    const picture = await new Picture().dress(['woman']);
    await vi.waitFor(() => expect(picture.draw(['man']).avatar(1)).toBe('man'), { interval: 5, timeout: 10_000 });
    picture.draw(['figure']);
    expect(picture.avatar(1)).toBe('figure');
    expect(picture.crowd.troupe?.cost).toEqual({ draws: 0, triangles: 0 });
    expect(picture.crowd.drawn(1).visor).toBeDefined();
  });

  it('shares one draw call with all who wear the same on the same level', async () => {
    const many = new Array<string>(50).fill('man');
    const picture = await new Picture().dress(many);
    expect(picture.crowd.troupe?.cost.draws).toBe(1);
    const camera = new PerspectiveCamera(38, 1, 0.05, 120);
    camera.position.set(0, 1.4, 3);
    camera.updateMatrixWorld();
    picture.crowd.lookFrom(camera, 720);
    picture.draw(many);
    const { draws, triangles } = picture.crowd.troupe?.cost ?? { draws: 9, triangles: 1e9 };
    expect(draws).toBe(3);
    expect(triangles).toBeLessThan(160_000);
    picture.crowd.lookFrom(camera, 720, 2);
    picture.draw(many);
    expect(picture.crowd.troupe?.cost).toEqual({ draws: 1, triangles: expect.any(Number) as number });
    expect(picture.crowd.troupe?.cost.triangles).toBeLessThan(50_000);
  });

  it('fades out where they were when they leave, and makes room', async () => {
    const picture = await new Picture({}, 1).dress(['woman']);
    picture.draw(['woman'], 60);
    const before = picture.crowd.drawn(1).head?.position;
    picture.crowd.update([], () => false, () => undefined, 1 / 60);
    expect(picture.crowd.drawn(1).head?.position).toEqual(before);
    for (let frame = 0; frame < 120; frame += 1) picture.crowd.update([], () => false, () => undefined, 1 / 60);
    expect(picture.crowd.figure(1)).toBeUndefined();
    expect(picture.crowd.troupe?.cost.draws).toBe(0);
  });

  it('is not drawn from a pose that is none', async () => {
    const picture = await new Picture().dress(['woman']);
    const before = picture.crowd.drawn(1);
    const broken: PoseSource = (_, pose) => {
      for (let part = 0; part < pose.length; part += 1) pose[part] = Number.NaN;
      return true;
    };
    picture.crowd.update([1], broken, () => look('woman'), 1 / 60);
    expect(picture.crowd.drawn(1)).toEqual(before);
    const { visibility } = picture.crowd.figure(1) ?? { visibility: 0 };
    expect(visibility).toBeGreaterThan(0);
  });
});

describe('an avatar that cannot be shown', () => {
  it.each([
    ['an unknown name', 'nobody', {}, /knows no avatar “nobody”/],
    ['a VRM that the server does not have', `vrm:${HASH}`, { own: () => Promise.reject(new Error('The server does not have it.')) }, /does not have it/],
    ['a VRM that is broken', `vrm:${HASH}`, { own: () => Promise.resolve(new Uint8Array(400)) }, /broken/],
    ['a shipped file that is broken', 'woman', { shipped: () => Promise.resolve(new Uint8Array(30)) }, /“Woman” could not be loaded/],
    ['a list that is none', 'woman', { list: () => Promise.resolve([]) }, /list of avatars/],
    ['a list that does not come', '', { list: () => Promise.reject(new Error('The server answers 500.')) }, /answers 500/],
  ] as const)('leaves the person a figure and says so once: %s', async (_, avatar, files, words) => {
    const picture = new Picture(files as Partial<AvatarFiles>);
    await vi.waitFor(() => {
      picture.draw([avatar, avatar]);
      expect(picture.troubles.length).toBeGreaterThan(0);
    }, { interval: 5, timeout: 10_000 });
    for (let time = 0; time < 5; time += 1) {
      await new Promise((done) => setTimeout(done));
      picture.draw([avatar, avatar]);
    }
    expect(picture.troubles.filter((each) => words.test(each))).toHaveLength(1);
    expect(picture.avatar(1)).toBe('figure');
    expect(picture.crowd.drawn(1).visor).toBeDefined();
  });
});

describe('a person’s own VRM', () => {
  it('is fetched once however many wear it, drawn, and forgotten when nobody does', async () => {
    const own = vi.fn(FILES.own);
    const avatar = `vrm:${HASH}`;
    const picture = await new Picture({ own }).dress([avatar, avatar]);
    expect(own).toHaveBeenCalledTimes(1);
    const drawn = picture.crowd.drawn(2);
    const palm = picture.crowd.figure(2)?.placeOf('leftPalm', new Vector3()) ?? new Vector3();
    expect(new Vector3(...(drawn.leftHand?.position as [number, number, number])).distanceTo(palm)).toBeLessThan(1e-5);
    const { group } = picture.crowd.troupe ?? { group: { children: [] } };
    expect(group.children).toHaveLength(2);
    picture.draw(['figure', 'figure']);
    expect(group.children).toHaveLength(0);
    await picture.dress([avatar]);
    expect(own).toHaveBeenCalledTimes(2);
  });
});

describe('the level of detail', () => {
  it('falls with the height on the screen and does not flicker at its edges', () => {
    expect([2000, 300, 60].map((px) => levelFor(px, -1, 3, 0))).toEqual([0, 1, 2]);
    let level = levelFor(400, -1, 3, 0);
    let changes = 0;
    for (let frame = 0; frame < 400; frame += 1) {
      const next = levelFor(330 + 30 * Math.sin(frame), level, 3, 0);
      if (next !== level) changes += 1;
      level = next;
    }
    expect(changes).toBe(0);
    const passed: number[] = [];
    for (let px = 1000; px > 30; px -= 1) passed.push((level = levelFor(px, level, 3, 0)));
    expect(passed.filter((each, at) => at > 0 && each !== passed[at - 1])).toEqual([1, 2]);
  });

  it('is never finer than asked, nor plainer than there is', () => {
    expect(levelFor(5000, 0, 3, 1)).toBe(1);
    expect(levelFor(5, 2, 2, 0)).toBe(1);
    expect(levelFor(5000, -1, 1, 2)).toBe(0);
  });
});
