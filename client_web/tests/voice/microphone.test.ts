import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Microphone } from '../../src/voice/microphone';
import { INSECURE, microphoneTrouble, UNPLUGGED } from '../../src/voice/words';

class FakeTrack {
  enabled = true;
  onended: (() => void) | null = null;
  stopped = false;

  constructor(readonly deviceId: string) {}

  getSettings(): { deviceId: string } {
    return { deviceId: this.deviceId };
  }

  stop(): void {
    this.stopped = true;
  }
}

type Asked = MediaStreamConstraints & { audio: MediaTrackConstraints };

function refuse(name: string, message = ''): Promise<never> {
  return Promise.reject(Object.assign(new Error(message), { name }));
}

describe('the microphone', () => {
  let answer: (asked: Asked) => Promise<FakeTrack>;
  let asked: Asked[];
  let sent: (FakeTrack | null)[];
  let lost: unknown[];
  let microphone: Microphone;

  beforeEach(() => {
    asked = [];
    sent = [];
    lost = [];
    answer = ({ audio }) => {
      const wanted = (audio.deviceId as { exact?: string } | undefined)?.exact;
      return Promise.resolve(new FakeTrack(wanted ?? 'default'));
    };
    vi.stubGlobal('window', { isSecureContext: true });
    vi.stubGlobal('navigator', {
      mediaDevices: {
        getUserMedia: async (constraints: Asked) => {
          asked.push(constraints);
          const track = await answer(constraints);
          return { getAudioTracks: () => [track] };
        },
        enumerateDevices: () =>
          Promise.resolve([
            { kind: 'audioinput', deviceId: 'a', label: 'Desk' },
            { kind: 'videoinput', deviceId: 'b', label: 'Camera' },
            { kind: 'audioinput', deviceId: 'c', label: '' },
            { kind: 'audioinput', deviceId: '', label: '' },
          ]),
      },
    });
    microphone = new Microphone({
      changed: (track) => sent.push(track as unknown as FakeTrack | null),
      lost: (trouble) => lost.push(trouble),
    });
  });

  afterEach(() => vi.unstubAllGlobals());

  it('is asked for with echoes and noise taken out, and silent until it is opened', async () => {
    expect(await microphone.acquire()).toBeUndefined();
    expect(asked[0]?.audio).toMatchObject({ echoCancellation: true, noiseSuppression: true });
    expect(sent[0]?.enabled).toBe(false);
    microphone.setOpen(true);
    expect(sent[0]?.enabled).toBe(true);
  });

  it('is let go', async () => {
    await microphone.acquire();
    microphone.release();
    expect(sent[0]?.stopped).toBe(true);
    expect(sent[1]).toBeNull();
    expect(microphone.present).toBe(false);
  });

  it('that comes after it was given up is let go at once', async () => {
    let come: (track: FakeTrack) => void = () => undefined;
    answer = () => new Promise((resolve) => (come = resolve));
    const acquiring = microphone.acquire();
    await Promise.resolve();
    microphone.release();
    const late = new FakeTrack('late');
    come(late);
    await acquiring;
    expect(late.stopped).toBe(true);
    expect([sent, microphone.present]).toEqual([[], false]);
  });

  it('stays open when another one is chosen', async () => {
    await microphone.acquire();
    microphone.setOpen(true);
    await microphone.choose('c');
    expect([sent[0]?.stopped, sent[1]?.deviceId, sent[1]?.enabled]).toEqual([true, 'c', true]);
  });

  it('of an earlier visit that is gone gives way to the browser’s choice', async () => {
    microphone.prefer('gone');
    answer = ({ audio }) =>
      audio.deviceId === undefined
        ? Promise.resolve(new FakeTrack('default'))
        : refuse('OverconstrainedError');
    expect(await microphone.acquire()).toBeUndefined();
    expect(microphone.device).toBe('default');
  });

  it('that is unplugged is missed', async () => {
    await microphone.acquire();
    sent[0]?.onended?.();
    expect(sent[1]).toBeNull();
    expect(lost).toEqual([UNPLUGGED]);
  });

  it('is not even asked for where the page is not trusted', async () => {
    vi.stubGlobal('window', { isSecureContext: false });
    expect(await microphone.acquire()).toBe(INSECURE);
    expect(asked).toEqual([]);
  });

  it('is one of several, each with a name', async () => {
    expect(await microphone.choices()).toEqual([
      { id: 'a', name: 'Desk' },
      { id: 'c', name: 'Microphone 2' },
    ]);
  });

  it.each([
    ['NotAllowedError', 'Permission denied', 'browser refused'],
    ['NotAllowedError', 'Permission denied by system', 'operating system'],
    ['NotFoundError', '', 'No microphone'],
    ['NotReadableError', '', 'can’t be opened'],
    ['OverconstrainedError', '', 'gone'],
    ['SecurityError', '', 'browser refused'],
    ['AbortError', 'it broke', 'it broke'],
  ])('that is refused with %s (%s) is told of in words', async (name, message, words) => {
    answer = () => refuse(name, message);
    const trouble = await microphone.acquire();
    expect(trouble?.sentence).toContain(words);
    expect(trouble?.advice).not.toBe('');
    expect(microphone.present).toBe(false);
  });

  it('is told of whatever is thrown', () => {
    expect(microphoneTrouble('odd').sentence).toContain('odd');
  });
});
