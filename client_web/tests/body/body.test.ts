import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LENGTHS, PLACE, type Place } from '../../src/motion/bones';
import { LENGTHS } from '../../src/protocol/generated';
import { carried, positionOf, restOf, rotationOf } from '../../src/body/rigid';
import { skeletonFrom, SkeletonError } from '../../src/body/rest';
import { BONE, DRAWN_BONES, type Skeleton } from '../../src/body/skeleton';
import { bonesFromAngles } from '../../src/sensing/hand_angles';
import { bytesPerCall } from '../allocation';
import { random } from '../traces';
import { SHIPPED, shippedModel } from '../avatars/shipped';
import { Person, poseOf, someAngles, uprightChest, type Posture } from './people';

const SKELETONS = SHIPPED.map(({ name }) => [name, shippedModel(name).skeleton] as const);
const [, WOMAN] = SKELETONS[0] as readonly [string, Skeleton];
const UPRIGHT: Posture = { chest: [0, uprightChest(), 0] };
const SIDES = ['left', 'right'] as const;

function place(person: Person, name: Place): Vector3 {
  return new Vector3().fromArray(person.places, PLACE[name]);
}

function rest(person: Person, bone: number): Vector3 {
  return restOf(person.skeleton, bone, new Vector3());
}

function where(person: Person, bone: number, point: Vector3 = rest(person, bone)): Vector3 {
  return carried(person.skeleton, person.body.bones, bone, point);
}

function everythingIsFinite(person: Person): boolean {
  return person.body.bones.every(Number.isFinite);
}

function somePostures(count: number, seed: number): Posture[] {
  const next = random(seed);
  const between = (low: number, high: number) => low + (high - low) * next();
  return Array.from({ length: count }, () => ({
    chest: [between(-3, 3), between(0.75, 1.4), between(-3, 3)],
    turn: between(-3, 3),
    lean: between(-0.2, 0.9),
    tilt: between(-0.3, 0.3),
    nod: between(-0.6, 0.6),
    look: between(-0.8, 0.8),
    angles: someAngles(next),
  }));
}

describe.each(SKELETONS)('the body of %s', (_, skeleton) => {
  it('has its eyes, shoulders, elbows and palms where they are tracked', () => {
    const person = new Person(skeleton);
    for (const posture of somePostures(200, 1)) {
      person.show(posture);
      expect(where(person, BONE.head, new Vector3().fromArray(skeleton.eyes)).distanceTo(place(person, 'eyes'))).toBeLessThan(1e-9);
      SIDES.forEach((side, index) => {
        const { upperArm, lowerArm, hand } = BONE[side];
        const palm = new Vector3().fromArray(skeleton.palms, 3 * index);
        expect(where(person, hand, palm).distanceTo(place(person, `${side}Palm`))).toBeLessThan(1e-9);
        expect(where(person, upperArm).distanceTo(place(person, `${side}Shoulder`))).toBeLessThan(1e-9);
        expect(where(person, lowerArm).distanceTo(place(person, `${side}Elbow`))).toBeLessThan(1e-9);
      });
    }
  });

  it('hangs together: every limb begins where the one before it ends', () => {
    const person = new Person(skeleton);
    for (const posture of somePostures(100, 2)) {
      person.show(posture);
      for (const side of SIDES) {
        const bones = BONE[side];
        for (const [from, to] of [
          [bones.upperArm, bones.lowerArm],
          [bones.upperArmRoot, bones.lowerArm],
          [bones.lowerArm, bones.hand],
          [bones.lowerArmEnd, bones.hand],
          [bones.upperLeg, bones.lowerLeg],
          [bones.lowerLeg, bones.foot],
          [bones.foot, bones.toes],
          [bones.hand, bones.middle],
          [BONE.hips, bones.upperLeg],
          [BONE.neck, BONE.head],
          [BONE.upperChest, BONE.neck],
        ] as const) {
          const end = where(person, from, rest(person, to));
          expect(end.distanceTo(where(person, to)), DRAWN_BONES[to] ?? '').toBeLessThan(1e-6);
        }
      }
    }
  });

  it('stands with both soles on the floor and nearly straight legs', () => {
    const person = new Person(skeleton).show(UPRIGHT);
    for (const side of SIDES) {
      const { upperLeg, lowerLeg, foot, toes } = BONE[side];
      const ankle = where(person, foot);
      expect(ankle.y - rest(person, foot).y * person.body.measures.body).toBeLessThan(0.002);
      expect(where(person, toes).y).toBeCloseTo(rest(person, toes).y * person.body.measures.body, 6);
      const thigh = where(person, lowerLeg).sub(where(person, upperLeg));
      const shin = ankle.sub(where(person, lowerLeg));
      expect(thigh.angleTo(shin)).toBeLessThan(0.45);
    }
    const hips = where(person, BONE.hips);
    expect(hips.y).toBeGreaterThan(0.95 * person.body.measures.standing);
  });
});

describe('legs', () => {
  const lengthOf = (person: Person, from: number, to: number) => where(person, from).distanceTo(where(person, to));

  it('are never longer nor shorter than they are, wherever the head is', () => {
    const person = new Person(WOMAN);
    for (const posture of [
      ...somePostures(150, 3),
      { chest: [0, 2.4, 0] } as const,
      { chest: [0, 0.05, 0] } as const,
      { chest: [0.3, 1.2, 0], lean: 1.5 } as const,
    ]) {
      person.show(posture);
      const { body } = person.body.measures;
      for (const side of SIDES) {
        const { upperLeg, lowerLeg, foot } = BONE[side];
        const upper = body * rest(person, upperLeg).distanceTo(rest(person, lowerLeg));
        const lower = body * rest(person, lowerLeg).distanceTo(rest(person, foot));
        expect(lengthOf(person, upperLeg, lowerLeg)).toBeCloseTo(upper, 6);
        expect(lengthOf(person, lowerLeg, foot)).toBeCloseTo(lower, 4);
      }
    }
  });

  it('bend their knees forward when the head goes down, with the feet on the floor', () => {
    const person = new Person(WOMAN);
    for (let height = uprightChest(); height > 0.55; height -= 0.01) {
      person.show({ chest: [0, height, 0] });
      for (const side of SIDES) {
        const { upperLeg, lowerLeg, foot, toes } = BONE[side];
        const between = where(person, upperLeg).lerp(where(person, foot), 0.5);
        const bent = where(person, lowerLeg).sub(between);
        expect(bent.z).toBeLessThan(0.02); // forward is −Z
        expect(where(person, toes).y).toBeLessThan(0.1);
      }
    }
    expect(where(person, BONE.hips).y).toBeGreaterThan(0.08);
  });

  it('hang in the air when the head is higher than they reach', () => {
    const person = new Person(WOMAN).show(UPRIGHT);
    const before = where(person, BONE.left.foot).y;
    person.show({ chest: [0, uprightChest() + 0.5, 0] });
    expect(where(person, BONE.left.foot).y - before).toBeGreaterThan(0.3);
  });
});

/** Walks around a circle, at up to 1.2 m/s and with stops, bending and turning; calls back after every frame. */
function walk(person: Person, seconds: number, stepS: number, each: (seconds: number) => void): void {
  let way = 0;
  for (let now = 0; now < seconds; now += stepS) {
    way += stepS * 1.2 * Math.max(Math.sin(0.7 * now), 0) ** 2;
    const around = way / 1.3;
    person.show(
      {
        chest: [1.3 * Math.cos(around), uprightChest() - 0.1 * Math.sin(now) ** 2, -1.3 * Math.sin(around)],
        turn: around + 0.6 * Math.sin(0.9 * now),
        lean: 0.1 * Math.sin(1.3 * now),
        angles: Array.from({ length: 15 }, (_, joint) => 0.3 + 0.3 * Math.sin(now + joint)),
      },
      now === 0 ? 0 : stepS,
    );
    each(now);
  }
}

describe('feet', () => {
  it('do not slide while they are planted, and step while the body walks', () => {
    const person = new Person(WOMAN);
    const last = { left: new Vector3(), right: new Vector3() };
    const planted = { left: false, right: false };
    let steps = 0;
    walk(person, 20, 1 / 60, () => {
      for (const side of SIDES) {
        const ball = where(person, BONE[side].toes);
        const stands = person.body.stance[side].step < 0;
        if (stands && planted[side]) expect(ball.distanceTo(last[side])).toBeLessThan(1e-9);
        if (stands && !planted[side]) steps += 1;
        planted[side] = stands;
        last[side].copy(ball);
      }
    });
    expect(steps).toBeGreaterThan(12);
    expect(steps).toBeLessThan(90);
  });

  it('stay below a body that walks, and come to rest under one that stands', () => {
    const person = new Person(WOMAN);
    const middle = () => where(person, BONE.left.foot).lerp(where(person, BONE.right.foot), 0.5);
    walk(person, 20, 1 / 60, () => {
      const hips = where(person, BONE.hips);
      expect(middle().setY(hips.y).distanceTo(hips)).toBeLessThan(0.4);
    });
    for (let frame = 0; frame < 180; frame += 1) person.show(UPRIGHT);
    const hips = where(person, BONE.hips);
    expect(middle().setY(hips.y).distanceTo(hips)).toBeLessThan(0.09);
    const { left, right } = person.body.stance;
    for (let frame = 0; frame < 300; frame += 1) {
      person.show(UPRIGHT);
      expect(Math.max(left.step, right.step)).toBe(-1);
    }
  });

  it('turn with the body, one after the other', () => {
    const person = new Person(WOMAN).show(UPRIGHT);
    let both = 0;
    for (let frame = 0; frame < 240; frame += 1) {
      person.show({ ...UPRIGHT, turn: Math.min(frame / 90, 1) * 1.5 });
      const { left, right } = person.body.stance;
      if (left.step >= 0 && right.step >= 0) both += 1;
    }
    expect(both).toBe(0);
    expect(Math.abs(person.body.stance.heading - 1.5)).toBeLessThan(0.3);
  });

  it('are put under a person who jumped, at once', () => {
    const person = new Person(WOMAN).show(UPRIGHT);
    person.show({ chest: [4, uprightChest(), -2], turn: 2 });
    const middle = where(person, BONE.left.foot).lerp(where(person, BONE.right.foot), 0.5);
    const hips = where(person, BONE.hips);
    expect(middle.setY(hips.y).distanceTo(hips)).toBeLessThan(0.09);
    expect(person.body.stance.left.step).toBe(-1);
  });
});

describe('a body in motion', () => {
  it('moves without jumps', { timeout: 30_000 }, () => {
    const person = new Person(WOMAN);
    const last = new Float64Array(person.body.bones.length);
    const [before, after] = [new Vector3(), new Vector3()];
    const [turnBefore, turnAfter] = [new Quaternion(), new Quaternion()];
    let farthest = 0;
    let widest = 0;
    walk(person, 8, 1 / 480, (now) => {
      for (let bone = 0; bone < DRAWN_BONES.length && now > 0; bone += 1) {
        farthest = Math.max(farthest, positionOf(last, bone, before).distanceTo(positionOf(person.body.bones, bone, after)));
        widest = Math.max(widest, rotationOf(last, bone, turnBefore).angleTo(rotationOf(person.body.bones, bone, turnAfter)));
      }
      last.set(person.body.bones);
    });
    expect(farthest).toBeLessThan(0.012); // 6 m/s: a foot that swings
    expect(widest).toBeLessThan(0.06);
  });

  it('is the same when the same frames are shown again', () => {
    const people = [new Person(WOMAN), new Person(WOMAN)] as const;
    for (const person of people) walk(person, 5, 1 / 60, () => undefined);
    expect(people[0].body.bones).toEqual(people[1].body.bones);
  });

  it('makes no objects: what it leaves are numbers that the engine boxes', { timeout: 60_000 }, () => {
    const person = new Person(WOMAN);
    const poses = somePostures(16, 4).map((posture) => poseOf(posture));
    let frame = 0;
    const show = () => person.showPose(poses[(frame += 1) % 16] ?? [], 1 / 60);
    expect(bytesPerCall(show, 3_000)).toBeLessThan(3_000); // one copy of the bones is more
  });
});

describe('a body’s size', () => {
  it('follows the person: everything scaled by a half again is drawn so', () => {
    const scale = 1.15;
    const [small, large] = [new Person(WOMAN), new Person(WOMAN, DEFAULT_LENGTHS.map((length) => scale * length))];
    for (const posture of somePostures(30, 5)) {
      const { chest } = posture;
      for (const person of [small, large]) person.body.reset();
      small.show(posture);
      large.show({ ...posture, chest: [scale * chest[0], scale * chest[1], scale * chest[2]] });
      for (const bone of [BONE.hips, BONE.left.foot, BONE.right.lowerLeg, BONE.left.middle, BONE.spine]) {
        const expected = where(small, bone).multiplyScalar(scale);
        expect(where(large, bone).distanceTo(expected), DRAWN_BONES[bone] ?? '').toBeLessThan(1e-6);
      }
    }
  });

  it('is a grown person’s on a chair: an eye height that contradicts the arms makes no child', () => {
    const lengths = DEFAULT_LENGTHS.map((length, index) => (index === 10 ? 1.15 : length));
    const person = new Person(WOMAN, lengths).show({ chest: [0, uprightChest(lengths), 0] });
    const grown = new Person(WOMAN).show(UPRIGHT);
    expect(person.body.measures.body).toBeGreaterThan(0.85 * grown.body.measures.body);
    const { upperLeg, lowerLeg } = BONE.left;
    const thigh = where(person, lowerLeg).sub(where(person, upperLeg)).normalize();
    expect(-thigh.z).toBeGreaterThan(0.5); // it sits
  });

  it('may be anything that the protocol lets through, in any pose', () => {
    const next = random(6);
    for (const posture of somePostures(400, 7)) {
      const lengths = LENGTHS.map(({ low: min, high: max }) => {
        const pick = next();
        return pick < 0.3 ? min : pick > 0.7 ? max : min + (max - min) * next();
      });
      const chest = [100 * (2 * next() - 1), 100 * (2 * next() - 1), 0] as const;
      const person = new Person(SKELETONS[0]?.[1] ?? WOMAN, lengths);
      person.show(next() < 0.5 ? posture : { ...posture, chest, lean: 6 * next() - 3, nod: 6 * next() - 3 });
      person.show({ ...posture, turn: 6 * next() });
      expect(everythingIsFinite(person)).toBe(true);
    }
  });
});

describe('fingers', () => {
  it('point where the protocol says for their angles', () => {
    const next = random(8);
    const expected = new Float64Array(45);
    const [from, to] = [new Vector3(), new Vector3()];
    for (let time = 0; time < 40; time += 1) {
      const person = new Person(WOMAN);
      const angles = Array.from({ length: 40 }, () => 0.9 * next() - 0.2);
      person.show({ ...UPRIGHT, turn: 6 * next(), angles: someAngles(next) }, 1 / 60, angles, 3);
      SIDES.forEach((side, hand) => {
        bonesFromAngles(side, angles, 20 * hand, expected);
        const first = BONE[side].fingers;
        const intoHand = new Quaternion().fromArray(person.pose, side === 'left' ? 23 : 35).invert();
        for (let digit = 0; digit < 5; digit += 1) {
          for (let bone = 0; bone < 2; bone += 1) {
            positionOf(person.body.bones, first + 3 * digit + bone, from);
            positionOf(person.body.bones, first + 3 * digit + bone + 1, to);
            const way = to.sub(from).normalize().applyQuaternion(intoHand);
            const wanted = new Vector3().fromArray(expected, 9 * digit + 3 * bone);
            expect(way.distanceTo(wanted), `${side} ${digit} ${bone}`).toBeLessThan(1e-6);
          }
        }
      });
    }
  });

  it('rest half open where nothing is known of them, and follow within a tenth of a second', () => {
    const person = new Person(WOMAN).show(UPRIGHT);
    const relaxed = person.body.fingers.slice();
    expect(Math.min(...[4, 8, 12, 16].map((angle) => relaxed[angle] ?? 0))).toBeGreaterThan(0.1);
    const fist = new Array<number>(40).fill(1.2);
    person.show(UPRIGHT, 1 / 60, fist, 1);
    expect(person.body.fingers[4]).toBeLessThan(0.8);
    for (let frame = 0; frame < 12; frame += 1) person.show(UPRIGHT, 1 / 60, fist, 1);
    expect(person.body.fingers[4]).toBeGreaterThan(1.15);
    expect(person.body.fingers.slice(20)).toEqual(relaxed.slice(20));
    for (let frame = 0; frame < 30; frame += 1) person.show(UPRIGHT);
    expect(person.body.fingers[4]).toBeCloseTo(relaxed[4] ?? 0, 2);
  });
});

describe('clavicles', () => {
  it('rise with a raised arm and stay down with a hanging one', () => {
    const person = new Person(WOMAN);
    const up = new Vector3();
    const height = (flexion: number) => {
      person.show({ ...UPRIGHT, angles: [0, 0, flexion, 0, 0, 0, 0, 0, 0, flexion, 0, 0, 0, 0, 0] });
      rotationOf(person.body.bones, BONE.right.shoulder, new Quaternion());
      const turn = rotationOf(person.body.bones, BONE.right.shoulder, new Quaternion());
      return up.set(1, 0, 0).applyQuaternion(turn).y;
    };
    const hanging = height(0);
    expect(height(Math.PI / 6) - hanging).toBeLessThan(0.08);
    expect(height(2.8) - hanging).toBeGreaterThan(0.3);
    expect(height(2.8) - hanging).toBeLessThan(0.7);
  });
});

describe('a skeleton', () => {
  const places = (skeleton: Skeleton) =>
    new Map(
      DRAWN_BONES.slice(0, -4).map((name, bone) => {
        const [x = 0, y = 0, z = 0] = skeleton.rest.slice(3 * bone, 3 * bone + 3);
        return [name, [x, y, z] as const];
      }),
    );

  it('is completed where a model leaves bones out that it may leave out', () => {
    const all = places(WOMAN);
    const few = new Map(
      [...all].filter(([name]) => !/Thumb|Index|Middle|Ring|Little|Eye|Toes|Shoulder|[cC]hest|neck/.test(name)),
    );
    const person = new Person(skeletonFrom(few)).show(UPRIGHT);
    expect(everythingIsFinite(person)).toBe(true);
    expect(where(person, BONE.left.hand).distanceTo(place(person, 'leftWrist'))).toBeLessThan(0.05);
    expect(person.skeleton.carrier[BONE.chest]).toBe(BONE.upperChest);
  });

  it('is refused without a bone that it needs, by that bone’s name', () => {
    const few = places(WOMAN);
    few.delete('leftLowerLeg');
    expect(() => skeletonFrom(few)).toThrow(SkeletonError);
    expect(() => skeletonFrom(few)).toThrow(/leftLowerLeg/);
  });
});
