import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { pinBody } from '../../src/body/pin';
import {
  DEFAULT_LENGTHS,
  LENGTH,
  PLACE,
  PLACES_SIZE,
  POSE_SIZE,
  ROTATION,
  type Place,
} from '../../src/motion/bones';
import { placesFromPose, poseFromAngles } from '../../src/motion/kinematics';
import { random } from '../traces';

/** Joint limits of the conventions, degrees, drawn in a little: torso, then one arm's seven. */
const LIMITS = [[-40, 40], [-40, 150], [-20, 120], [-70, 60], [5, 140], [-70, 70], [-60, 70], [-25, 15]] as const;
const TRACKED = 0b111;
const ARMS = [
  {
    palm: 'leftPalm',
    shoulder: 'leftShoulder',
    elbow: 'leftElbow',
    wrist: 'leftWrist',
    hand: ROTATION.leftHand,
  },
  {
    palm: 'rightPalm',
    shoulder: 'rightShoulder',
    elbow: 'rightElbow',
    wrist: 'rightWrist',
    hand: ROTATION.rightHand,
  },
] as const;

function randomBody(next: () => number): Float64Array {
  const angles = Array.from({ length: 15 }, (_, joint) => {
    const [low, high] = LIMITS[joint === 0 ? 0 : ((joint - 1) % 7) + 1] ?? [0, 0];
    return ((low + next() * (high - low)) * Math.PI) / 180;
  });
  const yaw = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 6 * next());
  const head = yaw.clone().multiply(new Quaternion(0.2 * next(), 0.2 * next(), 0.1 * next(), 1).normalize());
  const pose = new Float64Array(POSE_SIZE);
  poseFromAngles([next(), 1.2 + 0.2 * next(), next(), ...yaw.toArray()], head.toArray(), angles, 0, pose);
  return pose;
}

function placesOf(pose: Float64Array): Float64Array {
  const places = new Float64Array(PLACES_SIZE);
  placesFromPose(DEFAULT_LENGTHS, pose, places);
  return places;
}

function placeOf(pose: Float64Array, place: Place): Vector3 {
  return new Vector3().fromArray(placesOf(pose), PLACE[place]);
}

/** What the sensors of a body say. */
function sensorsOf(pose: Float64Array): Float64Array {
  const places = placesOf(pose);
  const poses = new Float64Array(21);
  (['eyes', 'leftPalm', 'rightPalm'] as const).forEach((place, sensor) => {
    for (let axis = 0; axis < 3; axis += 1) poses[7 * sensor + axis] = places[PLACE[place] + axis] ?? 0;
    const rotation = [ROTATION.head, ROTATION.leftHand, ROTATION.rightHand][sensor] ?? 0;
    poses.set(pose.subarray(rotation, rotation + 4), 7 * sensor + 3);
  });
  return poses;
}

/** The same sensors, each shaken by up to so many metres and about as many radians. */
function shaken(poses: Float64Array, by: number, next: () => number): Float64Array {
  const moved = poses.slice();
  for (let sensor = 0; sensor < 3; sensor += 1) {
    for (let axis = 7 * sensor; axis < 7 * sensor + 3; axis += 1) {
      moved[axis] = (moved[axis] ?? 0) + by * (2 * next() - 1);
    }
    const q = new Quaternion().fromArray(moved, 7 * sensor + 3);
    q.multiply(new Quaternion(by * (next() - 0.5), by * (next() - 0.5), by * (next() - 0.5), 1).normalize());
    q.toArray(moved, 7 * sensor + 3);
  }
  return moved;
}

function angle(a: Float64Array, b: Float64Array, offset: number): number {
  return new Quaternion().fromArray(a, offset).angleTo(new Quaternion().fromArray(b, offset));
}

function isUnit(pose: Float64Array): void {
  for (let part = 3; part < POSE_SIZE; part += 4) {
    expect(Math.abs(Math.hypot(...pose.subarray(part, part + 4)) - 1)).toBeLessThan(1e-12);
  }
}

describe('one’s own body', () => {
  it('stays as it is when the sensors are where it was made from', () => {
    const next = random(41);
    for (let round = 0; round < 200; round += 1) {
      const pose = randomBody(next);
      const pinned = pose.slice();
      pinBody({ tracked: TRACKED, poses: sensorsOf(pose) }, DEFAULT_LENGTHS, pinned);
      for (let axis = 0; axis < 3; axis += 1) expect(pinned[axis]).toBeCloseTo(pose[axis] ?? 0, 9);
      for (let part = 3; part < POSE_SIZE; part += 4) expect(angle(pinned, pose, part)).toBeLessThan(1e-6);
    }
  });

  it('has eyes and palms exactly where the sensors are now, within reach, and unit rotations', () => {
    const next = random(42);
    let within = 0;
    for (let round = 0; round < 400; round += 1) {
      const pose = randomBody(next);
      const poses = shaken(sensorsOf(pose), 0.12, next);
      pinBody({ tracked: TRACKED, poses }, DEFAULT_LENGTHS, pose);
      isUnit(pose);
      expect(placeOf(pose, 'eyes').distanceTo(new Vector3().fromArray(poses))).toBeLessThan(1e-9);
      ARMS.forEach(({ palm, shoulder, hand }, side) => {
        const wanted = new Vector3().fromArray(poses, 7 * (side + 1));
        const turn = new Quaternion().fromArray(poses, 7 * (side + 1) + 3);
        const wrist = new Vector3(0, 0, DEFAULT_LENGTHS[LENGTH.palm]).applyQuaternion(turn).add(wanted);
        const far = wrist.distanceTo(placeOf(pose, shoulder));
        expect(new Quaternion().fromArray(pose, hand).angleTo(turn)).toBeLessThan(1e-6);
        if (far > 0.56 || far < 0.041) return;
        within += 1;
        expect(placeOf(pose, palm).distanceTo(wanted)).toBeLessThan(1e-8);
      });
    }
    expect(within).toBeGreaterThan(600);
  });

  it('points a stretched arm at a palm that is out of reach', () => {
    const next = random(43);
    for (let round = 0; round < 100; round += 1) {
      const pose = randomBody(next);
      const poses = sensorsOf(pose);
      const from = placeOf(pose, 'rightShoulder');
      const away = new Vector3(next() - 0.5, next() - 0.5, next() - 0.5).setLength(1.5).add(from);
      away.toArray(poses, 14);
      pinBody({ tracked: TRACKED, poses }, DEFAULT_LENGTHS, pose);
      isUnit(pose);
      const turn = new Quaternion().fromArray(poses, 17);
      const wrist = new Vector3(0, 0, DEFAULT_LENGTHS[LENGTH.palm]).applyQuaternion(turn).add(away);
      const shoulder = placeOf(pose, 'rightShoulder');
      const reached = placeOf(pose, 'rightWrist').sub(shoulder);
      expect(reached.length()).toBeCloseTo(0.56, 6);
      expect(reached.angleTo(wrist.sub(shoulder))).toBeLessThan(1e-6);
    }
  });

  it('keeps the elbow on its side: it turns about the arm no more than the hinge is carried', () => {
    const next = random(44);
    for (let round = 0; round < 300; round += 1) {
      const pose = randomBody(next);
      const before = pose.slice();
      const poses = shaken(sensorsOf(pose), 0.05, next);
      pinBody({ tracked: TRACKED, poses }, DEFAULT_LENGTHS, pose);
      for (const { shoulder, elbow, wrist } of ARMS) {
        const axisOf = (body: Float64Array) => placeOf(body, wrist).sub(placeOf(body, shoulder)).normalize();
        const outOf = (body: Float64Array) => {
          const out = placeOf(body, elbow).sub(placeOf(body, shoulder));
          const axis = axisOf(body);
          return out.addScaledVector(axis, -axis.dot(out));
        };
        const out = outOf(pose);
        if (out.length() < 0.02 || outOf(before).length() < 0.02) continue;
        const carried = new Quaternion().setFromUnitVectors(axisOf(before), axisOf(pose));
        expect(outOf(before).applyQuaternion(carried).angleTo(out)).toBeLessThan(0.02);
      }
    }
  });

  it('moves continuously with the sensors, through the limit of reach too', () => {
    const next = random(45);
    for (let round = 0; round < 5; round += 1) {
      const start = randomBody(next);
      const from = sensorsOf(start);
      const to = shaken(from, 0.6, next);
      let before: Float64Array | undefined;
      const steps = 2000;
      for (let at = 0; at <= steps; at += 1) {
        const poses = from.map((value, index) => value + (at / steps) * ((to[index] ?? 0) - value));
        const pose = start.slice();
        pinBody({ tracked: TRACKED, poses }, DEFAULT_LENGTHS, pose);
        if (before !== undefined) {
          for (const { palm, elbow } of ARMS) {
            // A step is under 1 mm of any sensor; an elbow near the straight arm moves by its root.
            expect(placeOf(pose, palm).distanceTo(placeOf(before, palm))).toBeLessThan(0.01);
            expect(placeOf(pose, elbow).distanceTo(placeOf(before, elbow))).toBeLessThan(0.03);
          }
        }
        before = pose;
      }
    }
  });

  it('turns as a whole after a snap turn, and hardly when only the head looks round', () => {
    const pose = randomBody(random(46));
    const chest = pose.slice();
    const poses = sensorsOf(pose);
    const about = (yaw: number): Float64Array => {
      const moved = poses.slice();
      const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), yaw);
      turn.multiply(new Quaternion().fromArray(poses, 3)).toArray(moved, 3);
      return moved;
    };
    const turned = (yaw: number): number => {
      const body = pose.slice();
      pinBody({ tracked: 1, poses: about(yaw) }, DEFAULT_LENGTHS, body);
      return angle(body, chest, ROTATION.chest);
    };
    expect(turned(0.15)).toBeLessThan(1e-6);
    expect(turned(Math.PI / 6)).toBeGreaterThan(0.3);
    expect(turned(Math.PI)).toBeGreaterThan(2.9);
  });

  it('leaves an arm as the server says while its hand is lost', () => {
    const next = random(47);
    const pose = randomBody(next);
    const before = pose.slice();
    pinBody({ tracked: 0b101, poses: shaken(sensorsOf(pose), 0.1, next) }, DEFAULT_LENGTHS, pose);
    const side = before.subarray(ROTATION.leftUpperArm, ROTATION.leftHand + 4);
    expect([...pose.subarray(ROTATION.leftUpperArm, ROTATION.leftHand + 4)]).toEqual([...side]);
  });
});
