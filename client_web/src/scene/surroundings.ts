/** Owns what is around the people: a sky that runs down into the ground, a faint grid, shadows. */

import {
  BackSide,
  Color,
  DoubleSide,
  Group,
  Mesh,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  SphereGeometry,
} from 'three';
import type { Theme } from './palette';

const SKY_VERTEX = `
varying vec3 vDirection;
void main() {
  vDirection = position;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position.z = gl_Position.w;
}`;

const SKY_FRAGMENT = `
uniform vec3 zenith;
uniform vec3 horizon;
uniform vec3 ground;
varying vec3 vDirection;
float grain(vec2 at) { return fract(sin(dot(at, vec2(12.9898, 78.233))) * 43758.5453); }
void main() {
  float height = normalize(vDirection).y;
  vec3 colour = height > 0.0
    ? mix(horizon, zenith, smoothstep(0.0, 0.65, height))
    : mix(horizon, ground, smoothstep(0.0, 0.5, -height));
  gl_FragColor = vec4(colour, 1.0);
  #include <colorspace_fragment>
  // Half a step of noise: eight bits would show bands.
  gl_FragColor.rgb += (grain(gl_FragCoord.xy) - 0.5) / 255.0;
}`;

const GRID_VERTEX = `
varying vec2 vPlace;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vPlace = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

/** Lines every metre, fainter ones every quarter, one pixel wide, fading with distance. */
const GRID_FRAGMENT = `
uniform vec3 line;
uniform float strength;
uniform vec2 middle;
uniform float reach;
varying vec2 vPlace;
float lines(vec2 place, float width) {
  vec2 slope = fwidth(place);
  vec2 away = abs(fract(place - 0.5) - 0.5) / slope;
  vec2 covered = clamp(width - away, 0.0, 1.0) * clamp(0.5 / slope, 0.0, 1.0);
  return max(covered.x, covered.y);
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(vPlace - middle) / reach);
  float shown = max(lines(vPlace, 1.1), 0.32 * lines(vPlace * 4.0, 1.0));
  gl_FragColor = vec4(line, shown * strength * fade * fade);
  if (gl_FragColor.a < 0.002) discard;
  #include <colorspace_fragment>
}`;

/** Two by two metres of floor, to be scaled: nothing is drawn where nothing would be seen. */
const UNIT_SQUARE = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);

export class Surroundings {
  readonly group = new Group();
  private readonly sky = new ShaderMaterial({
    uniforms: {
      zenith: { value: new Color() },
      horizon: { value: new Color() },
      ground: { value: new Color() },
    },
    vertexShader: SKY_VERTEX,
    fragmentShader: SKY_FRAGMENT,
    side: BackSide,
    depthWrite: false,
  });
  private readonly grid = new ShaderMaterial({
    uniforms: {
      line: { value: new Color() },
      strength: { value: 0 },
      middle: { value: [0, 0] },
      reach: { value: 14 },
    },
    vertexShader: GRID_VERTEX,
    fragmentShader: GRID_FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
  });
  private readonly shade = new ShadowMaterial({ depthWrite: false });

  private shadowStrength = 0;
  private readonly floor = new Mesh(UNIT_SQUARE, this.grid);
  private readonly shaded = new Mesh(UNIT_SQUARE, this.shade);

  constructor() {
    const sky = new Mesh(new SphereGeometry(40, 32, 24), this.sky);
    sky.renderOrder = -3;
    sky.frustumCulled = false;
    // Around the viewer wherever it is, so that the horizon stays put.
    sky.onBeforeRender = (_renderer, _scene, camera) => {
      sky.position.setFromMatrixPosition(camera.matrixWorld);
      sky.updateMatrixWorld();
      sky.modelViewMatrix.multiplyMatrices(camera.matrixWorldInverse, sky.matrixWorld);
    };
    this.floor.renderOrder = -2;
    this.shaded.receiveShadow = true;
    this.shaded.renderOrder = -1;
    this.group.add(sky, this.floor, this.shaded);
  }

  wear(theme: Theme): void {
    const { zenith, horizon, ground } = this.sky.uniforms;
    (zenith?.value as Color).set(theme.zenith);
    (horizon?.value as Color).set(theme.horizon);
    (ground?.value as Color).set(theme.ground);
    const { line, strength } = this.grid.uniforms;
    (line?.value as Color).set(theme.line);
    if (strength !== undefined) strength.value = theme.lineStrength;
    this.shadowStrength = theme.shadowStrength;
    this.fadeShadows(1);
  }

  /** Shadows pale with the people that throw them; `visibility` is theirs on average. */
  fadeShadows(visibility: number): void {
    this.shade.opacity = this.shadowStrength * visibility;
  }

  /** Without light that casts any, there is nothing to draw of them. */
  showShadows(shown: boolean): void {
    this.shaded.visible = shown;
  }

  /** Puts grid and shadows around the people: a circle of `radius`, shadows up to `shadowReach`. */
  surround(x: number, z: number, radius: number, shadowReach: number): void {
    const { middle, reach } = this.grid.uniforms;
    const far = Math.max(10, 2.5 * radius + 6);
    if (middle !== undefined) middle.value = [x, z];
    if (reach !== undefined) reach.value = far;
    this.floor.position.set(x, 0, z);
    this.floor.scale.set(far, 1, far);
    this.shaded.position.set(x, 0.001, z);
    this.shaded.scale.set(shadowReach, 1, shadowReach);
  }
}
