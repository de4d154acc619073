/**
 * Owns one's own voice on its way out: which microphone, and whether it is open. Muted or open, or
 * open while a key is held; without a microphone there is nothing to open.
 */

import { Microphone, type MicrophoneChoice } from './microphone';
import { MicrophoneSwitch, type TalkMode } from './switch';
import type { Trouble } from './words';

export interface OwnVoiceEvents {
  /** Open or not, asking or not, another mode: whatever is shown may be another. */
  readonly changed: () => void;
  /** Another track, or none, is to be sent from now on. */
  readonly track: (track: MediaStreamTrack | null) => void;
  /** Something went wrong, or nothing any more. */
  readonly trouble: (trouble: Trouble | undefined) => void;
}

export class OwnVoice {
  private waiting = false;
  private readonly switch = new MicrophoneSwitch();
  private readonly microphone: Microphone;

  constructor(private readonly events: OwnVoiceEvents) {
    this.microphone = new Microphone({
      changed: (track) => events.track(track),
      lost: (trouble) => events.trouble(trouble),
    });
  }

  /** Whether the browser asks the person for the microphone. */
  get asking(): boolean {
    return this.waiting;
  }

  /** Whether there is a microphone; without one, one only listens. */
  get equipped(): boolean {
    return this.microphone.present;
  }

  /** Whether the others hear it. */
  get open(): boolean {
    return this.microphone.present && this.switch.open;
  }

  get mode(): TalkMode {
    return this.switch.mode;
  }

  /** The device in use; empty if there is none. */
  get device(): string {
    return this.microphone.device;
  }

  choices(): Promise<MicrophoneChoice[]> {
    return this.microphone.choices();
  }

  /** Asks for a microphone; true if there is one now. */
  async equip(): Promise<boolean> {
    this.waiting = true;
    this.events.trouble(undefined);
    const trouble = await this.microphone.acquire();
    this.waiting = false;
    this.events.trouble(trouble);
    return this.microphone.present;
  }

  async choose(device: string): Promise<void> {
    this.events.trouble(await this.microphone.choose(device));
  }

  /** Remembers a device of an earlier visit; the browser's choice serves if it is gone. */
  prefer(device: string): void {
    this.microphone.prefer(device);
  }

  setMuted(muted: boolean): void {
    this.switch.setMuted(muted);
    this.settle();
  }

  setMode(mode: TalkMode): void {
    this.switch.setMode(mode);
    this.settle();
  }

  /** Push-to-talk: the key or button is down, or up. */
  hold(held: boolean): void {
    if (this.switch.hold(held)) this.settle();
  }

  /** Lets the device go. */
  release(): void {
    this.switch.hold(false);
    this.microphone.release();
  }

  /** Makes the track say what the switch says. */
  apply(): void {
    this.microphone.setOpen(this.open);
  }

  private settle(): void {
    this.apply();
    this.events.changed();
  }
}
