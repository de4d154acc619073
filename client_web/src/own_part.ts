/**
 * Owns what one does in the picture: at a desk or in a headset, whose eyes one sees through, and
 * the lasers of everyone who points. It joins devices, one's own body and the scene.
 */

import { Vector3 } from 'three';
import { lengthsOf, ROTATION } from './motion/bones';
import { LEFT_HAND, RIGHT_HAND, type HandSide } from './motion/hands';
import type { Participant } from './participant';
import type { Lengths } from './protocol/generated';
import { Aim } from './scene/aim';
import type { FigureSlot } from './scene/figure_slot';
import { FirstPerson } from './scene/first_person';
import type { VoiceMark } from './scene/headset_mark';
import { HeadsetStage } from './scene/headset_stage';
import type { LabelText } from './scene/labels';
import { Lasers, type Laser } from './scene/lasers';
import type { PassingWords } from './scene/passing_words';
import type { View } from './scene/view';
import type { Covered } from './scene/viewpoint';
import { arrivalAmong } from './sensing/arrival';
import { Desktop } from './sensing/desktop';
import { DesktopDevices } from './sensing/desktop_dom';
import { POINT, REACH } from './sensing/desktop_intent';
import { HandheldLook } from './sensing/handheld_look';
import { toIndexTip } from './sensing/hand_pose';
import { Facing } from './sensing/facing';
import { Headset } from './sensing/headset';
import type { Session } from './session';

export interface OwnPartEvents {
  /** What hands and eyes do is another. */
  readonly changed: () => void;
  /** The headset has measured how tall one is. */
  readonly measured: (eyeHeightM: number) => void;
  /** The headset's button for the voice went down, or up. */
  readonly voice: (pressed: boolean) => void;
}

export interface OwnPartOptions {
  readonly session: Session;
  readonly participant: Participant;
  readonly view: View;
  readonly canvas: HTMLCanvasElement;
  /** Whether to spare motion. */
  readonly still: () => boolean;
  readonly colour: (id: number) => string | undefined;
  readonly label: (id: number) => LabelText | undefined;
  readonly events: OwnPartEvents;
}

/** Longer than a tick of any session. */
const AGAIN_MS = 60;
const NOT_TOLD = 'This browser does not tell how the device is held. Drag to look around.';

interface Beam extends Laser {
  id: number;
  side: number;
  readonly from: Vector3;
  readonly to: Vector3;
  colour: string;
  own: boolean;
}

const _place = new Float64Array(3);

export class OwnPart {
  readonly desktop: Desktop;
  readonly devices: DesktopDevices;
  readonly headset: Headset;
  private readonly headsetStage: HeadsetStage;
  private handheld: HandheldLook | undefined;
  private readonly eyes: FirstPerson;
  private readonly facing = new Facing();
  private readonly lasers = new Lasers();
  private readonly beams: Beam[] = [];
  private readonly shown: Beam[] = [];

  constructor(private readonly options: OwnPartOptions) {
    const { participant, view, canvas, session, still, events } = options;
    const { stage, crowd } = view;
    const aim = new Aim(stage.camera, crowd, () => session.ownId);
    this.desktop = new Desktop(aim, { still });
    this.eyes = new FirstPerson(participant.sensors, canvas, still);
    this.devices = new DesktopDevices(canvas, this.desktop.intent, {
      zoom: (notches) => this.eyes.zoom(notches),
    });
    this.desktop.intent.onCommand((command) => {
      if (command === 'view') this.seeOneself(!this.eyes.behind);
    });
    this.desktop.intent.onChange(() => events.changed());
    this.headsetStage = new HeadsetStage(stage.renderer, stage.scene);
    stage.headsetCamera = this.headsetStage.camera;
    this.headset = new Headset(navigator.xr, this.headsetStage, aim, {
      changed: () => this.follow(),
      measured: events.measured,
      voice: events.voice,
    });
    stage.scene.add(this.lasers.group);
  }

  /** Whether one looks out of one's own head. */
  get inside(): boolean {
    return this.headset.entered || this.eyes.inside;
  }

  get doing(): { reaching: boolean; pointing: boolean; ownEyes: boolean; handheld: boolean } {
    const { tasks } = this.desktop.intent;
    return {
      reaching: tasks.includes(REACH),
      pointing: tasks.includes(POINT),
      ownEyes: !this.eyes.behind,
      handheld: this.handheld !== undefined,
    };
  }

  /** Comes into the picture, at a free place among those who are there. */
  begin(): void {
    const { view, session } = this.options;
    const others: { x: number; z: number }[] = [];
    for (const [id, figure] of view.crowd.shown()) {
      if (id === session.ownId) continue;
      const { x, z } = figure.standsAt(new Vector3());
      others.push({ x, z });
    }
    const { x, z, yaw } = arrivalAmong(others);
    this.desktop.standAt(x, z, yaw);
    this.headset.stand({ x, z, yaw });
    view.seeThrough(this.eyes);
    this.readDevices();
  }

  /** Leaves the picture, and the headset. */
  end(): void {
    void this.headset.leave();
    void this.lookByHand(false);
    this.devices.detach();
    this.options.participant.readFrom(undefined);
    this.eyes.release();
    this.options.view.seeThrough(undefined);
  }

  measure(lengths: Lengths): void {
    this.desktop.measure(lengthsOf(lengths));
  }

  /** Enters the headset where one stands; in a click. Raises HeadsetRefused. */
  enterHeadset(): Promise<void> {
    const { x, z, yaw } = this.desktop.walk;
    return this.headset.enter({ x, z, yaw });
  }

  /** Looks by turning the device in one's hands, or no longer; in a click. Raises Error with words. */
  async lookByHand(on: boolean): Promise<void> {
    const before = this.handheld;
    this.handheld = undefined;
    await before?.close();
    if (on) this.handheld = await HandheldLook.open(navigator.xr);
    this.options.events.changed();
    if (on && this.handheld === undefined) throw new Error(NOT_TOLD);
  }

  /** Words for who wears the headset; forgotten while nobody does. */
  get words(): PassingWords {
    return this.headsetStage.words;
  }

  /** Shows who wears the headset what their microphone does. */
  showVoice(voice: VoiceMark): void {
    this.headsetStage.voice = voice;
  }

  seeOneself(behind: boolean): void {
    this.eyes.behind = behind;
    this.options.events.changed();
  }

  cover(covered: Covered): void {
    this.eyes.cover(covered);
  }

  /** Turns one's head to someone; a headset's wearer turns by themselves. */
  face(id: number): void {
    const { session, view, participant } = this.options;
    const figure = view.crowd.figure(id);
    if (this.headset.entered || id === session.ownId || figure === undefined) return;
    this.facing.begin(participant.sensors.poses, figure.placeOf('eyes', new Vector3()));
  }

  /** First in a frame: where one is, and where the headset's floor is. */
  sense(nowMs: number, passedS: number): void {
    if (!this.headset.entered) {
      const { walk, intent } = this.desktop;
      this.facing.turn(walk, intent, this.options.still(), passedS);
      this.handheld?.turn(nowMs, passedS, walk.pitch, intent);
    }
    this.options.participant.sense(nowMs, passedS);
    this.headsetStage.update(this.headset, passedS);
  }

  /** Last in a frame: beams and names at where people were drawn. */
  placed(passedS: number): void {
    const { view } = this.options;
    this.shown.length = 0;
    view.crowd.each(this.addBeams);
    this.lasers.update(this.shown, passedS);
    const { labels, presenting } = this.headsetStage;
    labels.update(presenting, view.crowd, this.options.label, this.options.participant.sensors.poses);
  }

  /** Where the end of someone's laser is drawn; undefined without one. */
  laserEnd(id: number, side: number): readonly [number, number, number] | undefined {
    return this.lasers.drawnEnd(id, side);
  }

  private readonly addBeams = (figure: FigureSlot, id: number): void => {
    this.addBeam(id, figure, LEFT_HAND);
    this.addBeam(id, figure, RIGHT_HAND);
  };

  /** Who is named in the headset; for tests and diagnosis. */
  get named(): readonly string[] {
    return this.headsetStage.labels.shown;
  }

  private addBeam(id: number, figure: FigureSlot, side: HandSide): void {
    const { session, participant } = this.options;
    const own = participant.present && id === session.ownId;
    if (own) {
      if ((participant.sensors.pointing & (1 << side)) === 0) return;
      for (let axis = 0; axis < 3; axis += 1) _place[axis] = participant.sensors.points[3 * side + axis] ?? 0;
    } else if (!session.playback.point(id, side, _place)) {
      return;
    }
    const beam = (this.beams[this.shown.length] ??= newBeam());
    beam.id = id;
    beam.side = side;
    beam.own = own;
    beam.colour = this.options.colour(id) ?? beam.colour;
    figure.placeOf(side === LEFT_HAND ? 'leftPalm' : 'rightPalm', beam.from);
    beam.to.fromArray(_place);
    const hand = side === LEFT_HAND ? ROTATION.leftHand : ROTATION.rightHand;
    toIndexTip(beam.from, figure.pose, hand, side);
    this.shown.push(beam);
  }

  /** The headset was put on or taken off, or is looked into no longer. */
  private follow(): void {
    const { session } = this.options;
    if (!session.takesPart) return;
    if (!this.headset.entered) {
      const { x, z, yaw } = this.headset.standing;
      this.desktop.standAt(x, z, yaw);
    }
    this.readDevices();
    this.senseOnce();
    this.options.events.changed();
  }

  private readDevices(): void {
    const worn = this.headset.entered;
    this.options.participant.readFrom(worn ? this.headset : this.desktop);
    if (worn) this.devices.detach();
    else this.devices.attach();
  }

  /** Tells what is sensed now, for there may be no more frames; and again when the session's rate allows. */
  private senseOnce(): void {
    const { participant } = this.options;
    participant.sense(performance.now(), 0);
    setTimeout(() => participant.sense(performance.now(), 0), AGAIN_MS);
  }
}

function newBeam(): Beam {
  return { id: 0, side: 0, from: new Vector3(), to: new Vector3(), colour: '#888888', own: false };
}
