/** Owns the renderer, the lights and the frame loop; draws whatever is in its scene. */

import {
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  NeutralToneMapping,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from 'three';
import { DARK, LIGHT, type Theme } from './palette';
import { drawsInSoftware, Pace, QUALITIES, type Quality } from './quality';
import { Surroundings } from './surroundings';

const SHADOW_PIXELS = 1024;
/** Keeps the finest picture however slow: for taking pictures on machines that draw in software. */
const FINEST = /[?&]quality=finest\b/;

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.05, 120);
  readonly renderer: WebGLRenderer;
  /** What the headset sees through while it shows the picture. */
  headsetCamera: PerspectiveCamera | undefined;
  readonly surroundings = new Surroundings();
  private readonly ambient = new HemisphereLight();
  private readonly sun = new DirectionalLight();
  private readonly fill = new DirectionalLight();
  private readonly fog = new Fog(0xffffff, 14, 60);
  private readonly pace: Pace | undefined;
  private readonly themeListeners: ((theme: Theme) => void)[] = [];

  constructor(canvas: HTMLCanvasElement) {
    const finest = FINEST.test(location.search);
    const software = !finest && drawsInSoftware();
    this.pace = finest ? undefined : new Pace(software);
    // What multisampling costs in software is most of the frame, and it cannot be changed later.
    const antialias = !software;
    this.renderer = new WebGLRenderer({ canvas, antialias, powerPreference: 'high-performance' });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.fog = this.fog;
    this.sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.012;
    this.sun.shadow.radius = 5;
    this.scene.add(this.surroundings.group, this.ambient, this.sun, this.sun.target, this.fill);
    this.light(0, 0, 2);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => this.wear(dark.matches ? DARK : LIGHT));
    this.wear(dark.matches ? DARK : LIGHT);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.renderer.xr.addEventListener('sessionend', () => this.resize());
    this.draw(this.quality);
  }

  /** Whether the renderer smooths edges, and with them lets through what is half there. */
  get multisampled(): boolean {
    return this.renderer.getContextAttributes()?.antialias === true;
  }

  /** Height of the picture in drawn pixels; of one eye's in a headset. */
  get heightPx(): number {
    const layer = this.inHeadset ? this.renderer.xr.getSession()?.renderState.baseLayer : undefined;
    return layer?.framebufferHeight ?? this.renderer.domElement.height;
  }

  /** People are drawn no finer than on this level of detail. */
  get finestLevel(): number {
    return this.quality.finestLevel;
  }

  private get quality(): Quality {
    return this.pace?.quality ?? QUALITIES[0];
  }

  /** Calls back at once and whenever the colours change between light and dark. */
  onTheme(listener: (theme: Theme) => void): void {
    this.themeListeners.push(listener);
    listener(this.theme);
  }

  private theme: Theme = LIGHT;

  /** Points the sun, and its shadow's frame, at a group of people around x, z. */
  light(x: number, z: number, radius: number): void {
    const reach = Math.max(radius + 1.2, 2.2);
    this.sun.target.position.set(x, 0.8, z);
    this.sun.position.set(x + 1.6, 8 + reach, z + 2.4);
    this.fill.position.set(x - 5, 3, z - 6);
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.5;
    camera.far = 20 + 2 * reach;
    camera.updateProjectionMatrix();
    this.surroundings.surround(x, z, radius, reach);
  }

  /** Whether a headset shows what is drawn. */
  get inHeadset(): boolean {
    return this.renderer.xr.isPresenting;
  }

  /**
   * Draws every frame, of the screen or of the headset; `frame` gets the time in milliseconds as
   * performance.now() gives it.
   */
  run(frame: (nowMs: number) => void): void {
    this.renderer.setAnimationLoop(() => {
      try {
        this.drawFrame(frame);
      } catch (error) {
        reportError(error); // if it went on from here, the browser would be asked for no more frames
      }
    });
  }

  private drawFrame(frame: (nowMs: number) => void): void {
    const nowMs = performance.now();
    if (!this.inHeadset && this.pace?.frame(nowMs) === true) this.draw(this.quality);
    frame(nowMs);
    const worn = this.inHeadset ? this.headsetCamera : undefined;
    this.renderer.render(this.scene, worn ?? this.camera);
  }

  private wear(theme: Theme): void {
    this.theme = theme;
    this.surroundings.wear(theme);
    this.fog.color = new Color(theme.horizon);
    this.ambient.color.set(theme.skyLight);
    this.ambient.groundColor.set(theme.groundLight);
    this.ambient.intensity = theme.ambient;
    this.sun.intensity = theme.sun;
    this.fill.color.set(theme.skyLight);
    this.fill.intensity = 0.35 * theme.sun;
    for (const listener of this.themeListeners) listener(theme);
  }

  private draw({ shadows }: Quality): void {
    this.sun.castShadow = shadows;
    this.surroundings.showShadows(shadows);
    this.resize();
  }

  private resize(): void {
    if (this.inHeadset) return; // the headset has its own sizes
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.quality.pixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }
}
