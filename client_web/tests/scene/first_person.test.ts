import { PerspectiveCamera, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Aim } from '../../src/scene/aim';
import { FirstPerson, rayThrough } from '../../src/scene/first_person';
import { Sensors } from '../../src/sensing/sensors';

const WIDE = { clientWidth: 1200, clientHeight: 700 };
const EYES = new Vector3(2, 1.6, -1);

function standing(canvas = WIDE, still = false) {
  const sensors = new Sensors();
  EYES.toArray(sensors.poses, 0);
  const head = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 0.8);
  head.toArray(sensors.poses, 3);
  const camera = new PerspectiveCamera(38, 1.5, 0.1, 120);
  const eye = new FirstPerson(sensors, canvas, () => still);
  return { sensors, head, camera, eye };
}

function run(eye: FirstPerson, camera: PerspectiveCamera, seconds: number): void {
  for (let frame = 0; frame < 60 * seconds; frame += 1) eye.update(camera, 1 / 60);
  camera.updateMatrixWorld();
}

describe('the camera of someone who takes part', () => {
  it('is at their eyes, and hides their own head', () => {
    const { camera, eye, head } = standing();
    eye.update(camera, 1 / 60);
    expect(camera.position.distanceTo(EYES)).toBe(0);
    expect(camera.quaternion.angleTo(head)).toBeLessThan(1e-7);
    expect(eye.inside).toBe(true);
    expect(camera.near).toBeLessThanOrEqual(0.05);
  });

  it('glides behind them, or is there at once for whoever wants less motion', () => {
    const gliding = standing();
    gliding.eye.update(gliding.camera, 1 / 60);
    gliding.eye.behind = true;
    gliding.eye.update(gliding.camera, 1 / 60);
    expect(gliding.camera.position.distanceTo(EYES)).toBeLessThan(0.5);
    run(gliding.eye, gliding.camera, 2);
    const still = standing(WIDE, true);
    still.eye.update(still.camera, 1 / 60);
    still.eye.behind = true;
    still.eye.update(still.camera, 1 / 60);
    expect(still.camera.position.distanceTo(gliding.camera.position)).toBeLessThan(1e-3);
    expect(still.eye.inside).toBe(false);
    const own = EYES.clone().project(gliding.camera);
    expect(Math.abs(own.x)).toBeLessThan(0.5); // one sees oneself
    expect(Math.abs(own.y)).toBeLessThan(0.5);
  });

  it('never goes below the floor', () => {
    const { camera, eye, sensors } = standing();
    new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), 1.2).toArray(sensors.poses, 3);
    eye.behind = true;
    eye.zoom(-10);
    run(eye, camera, 2);
    expect(camera.position.y).toBeGreaterThan(0.1);
  });

  it('gives the camera back as it took it', () => {
    const { camera, eye } = standing();
    run(eye, camera, 0.1);
    expect(camera.fov).not.toBe(38);
    eye.release();
    expect([camera.fov, camera.near]).toEqual([38, 0.1]);
  });

  it('sees wide enough on an upright screen', () => {
    const { camera, eye } = standing({ clientWidth: 390, clientHeight: 844 });
    run(eye, camera, 0.1);
    const across = 2 * Math.atan(Math.tan((camera.fov * Math.PI) / 360) * camera.aspect);
    expect((across * 180) / Math.PI).toBeGreaterThan(44);
  });

  it('looks straight ahead through the middle of what no panel covers', () => {
    const { camera, eye, head } = standing();
    eye.cover({ right: 300, bottom: 100 });
    run(eye, camera, 0.1);
    const ray = new Float64Array(6);
    const middle = ((1200 - 300) / 2 / 1200) * 2 - 1;
    rayThrough(camera, middle, 1 - (((700 - 100) / 2 / 700) * 2), ray);
    const ahead = new Vector3(0, 0, -1).applyQuaternion(head);
    expect(new Vector3().fromArray(ray, 3).angleTo(ahead)).toBeLessThan(1e-6);
  });
});

describe('what lies under the pointer', () => {
  const camera = new PerspectiveCamera(60, 1, 0.1, 100);
  camera.position.set(0, 1.6, 4);
  camera.updateMatrixWorld();
  const person = {
    placeOf: (place: 'chest' | 'eyes', out: Vector3) =>
      place === 'chest' ? out.set(0, 1.35, 0) : out.set(0, 1.6, 0.12),
  };

  function under(x: number, y: number, ownId = 0): Vector3 | undefined {
    const aim = new Aim(camera, { each: (visit) => visit(person, 7) }, () => ownId);
    const ray = new Float64Array(6);
    const out = new Float64Array(3);
    aim.ray(x, y, ray);
    return aim.hit(ray, out) ? new Vector3().fromArray(out) : undefined;
  }

  it('is the floor below the horizon, and nothing above it', () => {
    expect(under(0.5, -0.6)?.y).toBeCloseTo(0, 9);
    expect(under(0.5, 0.3)).toBeUndefined();
    expect(under(0.5, -0.001)).toBeUndefined(); // too far to mean anything
  });

  it('is a person before the floor: head and trunk', () => {
    const head = under(0, 0);
    expect(head?.z).toBeGreaterThan(0.05);
    expect(head?.z).toBeLessThan(0.3);
    const trunk = under(0, -0.25);
    expect(trunk?.z).toBeCloseTo(0.19, 3);
    expect(trunk?.y).toBeGreaterThan(0.5);
  });

  it('is never oneself', () => {
    expect(under(0, 0, 7)).toBeUndefined();
    expect(under(0, -0.25, 7)?.y).toBeCloseTo(0, 9);
  });
});
