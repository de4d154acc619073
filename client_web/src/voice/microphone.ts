/**
 * Owns the microphone: asked for when somebody wants to speak, let go when they do not, exchanged
 * for another, watched for being unplugged. The track is silent until it is opened.
 */

import { INSECURE, UNPLUGGED, microphoneTrouble, type Trouble } from './words';

export interface MicrophoneChoice {
  readonly id: string;
  readonly name: string;
}

export interface MicrophoneEvents {
  /** Another track, or none, is to be sent from now on. */
  readonly changed: (track: MediaStreamTrack | null) => void;
  /** The device went away by itself. */
  readonly lost: (trouble: Trouble) => void;
}

export class Microphone {
  private track: MediaStreamTrack | null = null;
  private open = false;
  /** Counts requests, so that an answer that comes after the next one is let go. */
  private request = 0;
  /** The device to ask for; empty for the browser's own choice. */
  private wanted = '';

  constructor(private readonly events: MicrophoneEvents) {}

  /** Whether there is a microphone, open or not. */
  get present(): boolean {
    return this.track !== null;
  }

  /** The device in use; empty if there is none. */
  get device(): string {
    return this.track?.getSettings().deviceId ?? '';
  }

  /** Asks the browser, and so maybe the person; says what went wrong, if anything did. */
  async acquire(): Promise<Trouble | undefined> {
    if (!window.isSecureContext || navigator.mediaDevices === undefined) return INSECURE;
    const request = ++this.request;
    try {
      const track = await this.ask(this.wanted);
      if (request === this.request) this.use(track);
      else track.stop();
      return undefined;
    } catch (error) {
      return microphoneTrouble(error);
    }
  }

  /** Takes this device from now on. */
  async choose(id: string): Promise<Trouble | undefined> {
    this.wanted = id;
    return this.track === null ? undefined : await this.acquire();
  }

  /** Remembers a device of an earlier visit; the browser's choice serves if it is gone. */
  prefer(id: string): void {
    this.wanted = id;
  }

  /** Lets sound into the track, or silence. */
  setOpen(open: boolean): void {
    this.open = open;
    if (this.track !== null) this.track.enabled = open;
  }

  /** Lets the device go: the browser's sign of recording goes out. */
  release(): void {
    this.request += 1;
    this.use(null);
  }

  /** The microphones there are. Their names are known only after the first permission. */
  async choices(): Promise<MicrophoneChoice[]> {
    if (navigator.mediaDevices === undefined) return [];
    const devices = await navigator.mediaDevices.enumerateDevices();
    return devices
      .filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== '')
      .map(({ deviceId, label }, index) => ({ id: deviceId, name: label || `Microphone ${index + 1}` }));
  }

  private async ask(id: string): Promise<MediaStreamTrack> {
    try {
      return await request(id);
    } catch (error) {
      const gone = error instanceof Error && error.name === 'OverconstrainedError';
      if (!gone || id === '') throw error;
      return await request('');
    }
  }

  private use(track: MediaStreamTrack | null): void {
    const before = this.track;
    this.track = track;
    if (before !== null) {
      before.onended = null;
      before.stop();
    }
    if (track !== null) {
      track.enabled = this.open;
      track.onended = () => {
        this.use(null);
        this.events.lost(UNPLUGGED);
      };
    }
    if (before !== track) this.events.changed(track);
  }
}

async function request(id: string): Promise<MediaStreamTrack> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: {
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
      channelCount: 1,
      ...(id === '' ? {} : { deviceId: { exact: id } }),
    },
  });
  const [track] = stream.getAudioTracks();
  if (track === undefined) throw new DOMException('no sound in it', 'NotFoundError');
  return track;
}
