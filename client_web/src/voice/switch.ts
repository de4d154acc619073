/** Owns whether the microphone is to be open: muted or not, or for as long as a key is held. */

export type TalkMode = 'open' | 'push';

export class MicrophoneSwitch {
  private current: TalkMode = 'open';
  private off = false;
  private down = false;

  get mode(): TalkMode {
    return this.current;
  }

  get muted(): boolean {
    return this.off;
  }

  get open(): boolean {
    return this.current === 'open' ? !this.off : this.down;
  }

  setMode(mode: TalkMode): void {
    this.current = mode;
    this.off = false;
    this.down = false;
  }

  setMuted(muted: boolean): void {
    this.off = muted;
  }

  /** The key or button of push-to-talk is down, or up. True if that changed anything. */
  hold(down: boolean): boolean {
    const changed = down !== this.down;
    this.down = down;
    return changed && this.current === 'push';
  }
}
