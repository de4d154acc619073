/**
 * Owns a page's part in the session's talk, whole: the microphone, the lines to the others, what
 * is heard and from where, and who speaks. The page tells it what the session says and reads it.
 */

import type { Floats } from '../motion/bones';
import { Voice, type SignalKind, type VoiceServers } from '../protocol/generated';
import { Conversation, type TalkPhase } from './conversation';
import { Hearing, type HeadOf } from './hearing';
import { Mesh, type Signalling } from './mesh';
import { OwnVoice } from './own_voice';
import { usableServers } from './servers';
import {
  diagnose,
  talkerOf,
  talking,
  voiceOf,
  type PersonTalking,
  type PersonVoice,
  type SoundDiagnosis,
  type Talker,
} from './talkers';
import { NO_WEBRTC, TAKEN_AWAY, TOO_OLD, type Trouble } from './words';

/** The way to the server, over the session's own connection. */
export interface TalkLink extends Signalling {
  changeVoice(voice: Voice): void;
}

/** The id of the message that asks to be in the talk (protocol/README.md). */
const CHANGE_VOICE = 0x16;
const PULSE_MS = 50;

export class Talk {
  readonly own: OwnVoice;
  readonly hearing = new Hearing(() => this.changed());
  readonly mesh: Mesh;
  private wrong: Trouble | undefined;
  private ownId = 0;
  private revision = 0;
  private people: readonly PersonTalking[] = [];
  private pulse: ReturnType<typeof setInterval> | undefined;
  private readonly listeners: (() => void)[] = [];
  private readonly complaints: ((trouble: Trouble) => void)[] = [];
  private readonly conversation: Conversation;

  constructor(link: TalkLink) {
    this.conversation = new Conversation((voice) => link.changeVoice(voice));
    this.own = new OwnVoice({
      changed: () => this.settle(),
      track: (track) => this.changeTrack(track),
      trouble: (trouble) => this.say(trouble),
    });
    this.mesh = new Mesh({
      signalling: link,
      connect: (configuration) => new RTCPeerConnection(configuration),
      now: () => performance.now(),
      random: Math.random,
      heard: (id, track) => (track === undefined ? this.hearing.remove(id) : this.hearing.add(id, track)),
      changed: () => this.changed(),
    });
  }

  /** Calls back whenever something that is shown may be another. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** What keeps one from talking or hearing, if anything. */
  get trouble(): Trouble | undefined {
    return this.wrong;
  }

  /** Calls back with each new trouble, for those who do not see the controls at the moment. */
  onTrouble(listener: (trouble: Trouble) => void): void {
    this.complaints.push(listener);
  }

  get phase(): TalkPhase | 'asking' {
    return this.own.asking ? 'asking' : this.conversation.phase;
  }

  /** Whether this page may talk at all: who watches may not. */
  get allowed(): boolean {
    return this.ownId !== 0;
  }

  /** Whether this browser can at least hear the others. */
  get possible(): boolean {
    return this.impossible() === undefined;
  }

  /** Whether the browser waits for a click or a key before anything sounds. */
  get asleep(): boolean {
    return this.phase === 'in' && this.hearing.asleep;
  }

  /** Everyone else in the talk. */
  get talkers(): Talker[] {
    return talking(this.people, this.ownId).map((person) => talkerOf(person, this));
  }

  /** How a person takes part, oneself included. */
  voiceOf(id: number): PersonVoice {
    return voiceOf(this.people.find((each) => each.id === id)?.voice, this.speaking(id));
  }

  /** Whether a person speaks now, oneself included. */
  speaking(id: number): boolean {
    return this.hearing.speaking(id);
  }

  get speakingOneself(): boolean {
    return this.speaking(this.ownId);
  }

  /** Enters the talk, from a click or key; with a microphone, or only to listen. */
  async enter(listenOnly = false): Promise<void> {
    if (!this.allowed || this.own.asking) return;
    const impossible = this.impossible();
    if (impossible !== undefined) return this.say(impossible);
    this.wrong = undefined;
    this.hearing.wake();
    if (!listenOnly && !(await this.own.equip())) return this.rest();
    this.pulse ??= setInterval(() => this.beat(), PULSE_MS);
    this.conversation.enter(performance.now());
    this.settle();
  }

  /** Leaves the talk, and lets the microphone go. */
  leave(): void {
    this.mesh.leave(true);
    this.conversation.leave();
    this.wrong = undefined;
    this.stop();
  }

  /** How loud a person is for oneself: 0 not at all, 1 as they are, 2 at most. */
  setVolume(id: number, volume: number): void {
    this.hearing.setVolume(id, volume);
    this.changed();
  }

  /** Lets sound begin after a click or key. */
  wake(): void {
    if (this.phase !== 'out') this.hearing.wake();
  }

  /** A participant's id, or 0 for a spectator, and how new the server is. */
  welcomed(ownId: number, revision: number, people: readonly PersonTalking[]): void {
    this.mesh.leave(false);
    this.ownId = ownId;
    this.revision = revision;
    if (ownId === 0 || revision < 1) this.conversation.lost();
    else this.conversation.welcomed(performance.now());
    this.update(people);
  }

  /** The people are others, or their voices are. */
  update(people: readonly PersonTalking[]): void {
    this.people = people;
    const own = people.find(({ id }) => id === this.ownId)?.voice ?? Voice.OFF;
    if (this.conversation.confirmed(own)) this.dismiss(TAKEN_AWAY);
    else this.settle();
  }

  signalled(sender: number, kind: SignalKind, text: string): void {
    if (this.conversation.phase === 'in') this.mesh.signal(sender, kind, text);
  }

  serversKnown({ servers, expiresS }: VoiceServers): void {
    this.conversation.grant(expiresS, performance.now());
    this.mesh.changeServers(usableServers(servers, (configuration) => new RTCPeerConnection(configuration)));
    this.settle();
  }

  /** The server did not do what a message asked. */
  refused(what: number, text: string): void {
    if (what !== CHANGE_VOICE || this.conversation.phase === 'out') return;
    this.dismiss({ sentence: text, advice: '' });
  }

  /** The connection to the server is lost. */
  lost(): void {
    this.conversation.lost();
    this.mesh.leave(false);
    this.changed();
  }

  /** Once a frame: where one's own eyes are (position xyz, rotation xyzw) and the others' heads. */
  frame(eyes: Floats, headOf: HeadOf): void {
    this.hearing.listen(eyes);
    this.hearing.place(headOf);
  }

  private impossible(): Trouble | undefined {
    if (typeof RTCPeerConnection === 'undefined') return NO_WEBRTC;
    return this.revision < 1 ? TOO_OLD : undefined;
  }

  /** Brings microphone, server and lines in line with what is wanted now. */
  private settle(): void {
    const nowMs = performance.now();
    this.own.apply();
    this.conversation.speak(this.own.open, nowMs);
    if (this.conversation.phase === 'in') {
      this.mesh.meet(this.ownId, talking(this.people, this.ownId).map(({ id }) => id));
    }
    this.changed();
  }

  private changeTrack(track: MediaStreamTrack | null): void {
    this.mesh.changeTrack(track);
    this.hearing.measure(track);
    this.settle();
  }

  /** What happens many times a second: who speaks, and what is due. */
  private beat(): void {
    const nowMs = performance.now();
    this.conversation.tick(nowMs);
    this.mesh.tick();
    if (this.hearing.observe(this.ownId, this.own.open, nowMs)) this.changed();
  }

  private dismiss(trouble: Trouble): void {
    this.conversation.refused();
    this.mesh.leave(false);
    this.stop();
    this.say(trouble);
  }

  private say(trouble: Trouble | undefined): void {
    this.wrong = trouble;
    if (trouble !== undefined) for (const complain of this.complaints) complain(trouble);
    this.settle();
  }

  private stop(): void {
    clearInterval(this.pulse);
    this.pulse = undefined;
    this.own.release();
    this.rest();
  }

  /** Gives up what sounds; the browser may have the device back. */
  private rest(): void {
    if (this.conversation.phase === 'out') this.hearing.close();
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }

  /** For tests and diagnosis. */
  diagnosis(): SoundDiagnosis {
    return diagnose(this.hearing, this.mesh);
  }
}
