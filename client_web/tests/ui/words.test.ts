/** What the pages say: of names, heights, files, addresses, devices and whoever is there. */

import { describe, expect, it } from 'vitest';
import { adviceFor, isThisMachine } from '../../src/ui/addresses';
import { readAvatars } from '../../src/ui/avatar_list';
import { choiceOf, statureM, type Draft } from '../../src/ui/choice';
import { deviceChecks, type DeviceFacts } from '../../src/ui/device';
import { shortly } from '../../src/ui/device_list';
import { heightFault } from '../../src/ui/join_fields';
import { level } from '../../src/ui/microphone_test';
import { nameFault } from '../../src/ui/names';
import { fileFault } from '../../src/ui/own_avatar';
import { isFull, presentWords } from '../../src/ui/present';
import { CAPS, cleanName } from '../../src/protocol/generated';

const DRAFT: Draft = { name: ' Ada ', avatar: '', colour: null, height: '', voice: true };
const ALL: DeviceFacts = {
  secure: true,
  webgl2: true,
  headset: true,
  microphone: true,
  microphonePermission: 'granted',
};

describe('a name', () => {
  it('is right exactly if the protocol takes it as it is', () => {
    const fitting = ['Ada', 'Zoë', '李雷', 'a'.repeat(64), 'é'.repeat(32)];
    const wrong = ['a'.repeat(65), 'é'.repeat(33), '\u200b', 'a\u0007b', '\u202eabc'];
    const names = [...fitting, ...wrong];
    for (const name of names) {
      const taken = cleanName(name) === name;
      expect(nameFault(name) === undefined, JSON.stringify(name)).toBe(taken);
    }
  });

  it('may be left out, and says how long it may be', () => {
    expect(nameFault('  ')).toBeUndefined();
    expect(nameFault('x'.repeat(CAPS.NAME_BYTES + 1))).toContain(String(CAPS.NAME_BYTES));
  });
});

describe('a choice', () => {
  it('always has a name and an avatar that the protocol takes', () => {
    expect(choiceOf({ ...DRAFT, name: '' }, false)).toMatchObject({ name: 'Guest', avatar: 'figure' });
    expect(choiceOf(DRAFT, true)).toMatchObject({ name: 'Ada', vr: true, voice: true, colour: null });
  });

  it('knows where the eyes of someone of a given height are', () => {
    expect(choiceOf(DRAFT, false).eyeHeightM).toBeUndefined();
    const eyes = choiceOf({ ...DRAFT, height: '180' }, false).eyeHeightM ?? 0;
    expect(eyes).toBeGreaterThan(1.66);
    expect(eyes).toBeLessThan(1.71);
  });

  it('takes heights as people write them, and nothing absurd', () => {
    expect(statureM('172,5')).toBeCloseTo(1.725);
    for (const typed of ['', '1.80', '999', '-170', 'tall', '1e9', 'Infinity']) {
      expect(statureM(typed), typed).toBeUndefined();
    }
    expect(heightFault('')).toBeUndefined();
    expect(heightFault('1.80')).toContain('cm');
  });
});

describe('a list of avatars', () => {
  it('is read as far as it can be understood, and always has the figure', () => {
    const entries = [{ name: 'woman', title: 'Woman' }, { name: '../x' }, { name: 'man' }, 7, { name: 'figure' }];
    const list = { avatars: entries };
    expect(readAvatars(list)).toEqual([
      { name: 'woman', title: 'Woman' },
      { name: 'man', title: 'man' },
      { name: 'figure', title: 'Figure' },
    ]);
    for (const absurd of [null, 3, 'x', [], {}, { avatars: 'x' }]) {
      expect(readAvatars(absurd).map(({ name }) => name)).toEqual(['figure']);
    }
  });
});

describe('a file of one’s own', () => {
  it('is refused before it is sent if it is no VRM, empty or too large', () => {
    expect(fileFault({ name: 'me.VRM', size: 20e6 })).toBeUndefined();
    expect(fileFault({ name: 'me.glb', size: 1e6 })).toContain('.vrm');
    expect(fileFault({ name: 'me.vrm', size: 20e6 + 1 })).toContain('20 MB');
    expect(fileFault({ name: 'me.vrm', size: 0 })).toContain('empty');
  });
});

describe('an address', () => {
  const page = (protocol: string, hostname: string, port = '') => ({ protocol, hostname, port });

  it('of this machine leads a headset on a cable through its port', () => {
    expect(adviceFor(page('http:', 'localhost', '8080'))?.command).toBe('adb reverse tcp:8080 tcp:8080');
    expect(adviceFor(page('https:', '127.0.0.1'))?.command).toBe('adb reverse tcp:443 tcp:443');
  });

  it('without encryption warns, and with it needs no words', () => {
    expect(adviceFor(page('http:', '192.168.1.7', '8080'))?.words).toContain('https://');
    expect(adviceFor(page('https:', '192.168.1.7', '8080'))).toBeUndefined();
  });

  it('is this machine’s by name or number only', () => {
    for (const host of ['localhost', 'x.localhost', '127.0.0.1', '127.8.9.1', '[::1]']) {
      expect(isThisMachine(host), host).toBe(true);
    }
    for (const host of ['localhost.example', '128.0.0.1', '127.0.0.1.example', '[::2]']) {
      expect(isThisMachine(host), host).toBe(false);
    }
  });
});

describe('what a browser can do', () => {
  it('is said in words that tell what to do wherever something is missing', () => {
    const poor: DeviceFacts = { ...ALL, webgl2: false, headset: false, microphonePermission: 'denied' };
    for (const each of deviceChecks(poor)) {
      if (each.verdict === 'no') expect(each.words, each.name).toMatch(/Switch on|Open|open|Allow/);
    }
    const missing = (facts: DeviceFacts) => deviceChecks(facts).filter(({ verdict }) => verdict === 'no');
    expect(missing({ ...ALL, secure: false, headset: false, microphone: false })).toHaveLength(3);
    expect(missing(ALL)).toHaveLength(0);
  });

  it('comes down to the one thing that matters most', () => {
    expect(shortly(ALL)).toContain('headset');
    expect(shortly({ ...ALL, secure: false })).toContain('no microphone');
    expect(shortly({ ...ALL, secure: false, webgl2: false })).toContain('3D');
  });
});

describe('who is there', () => {
  const person = (_: unknown, index: number) => ({ name: `P${index}`, colour: '#000000' });
  const people = (count: number) => Array.from({ length: count }, person);
  const words = (count: number, maxPeople = 64) =>
    presentWords({ live: true, people: people(count), maxPeople });

  it('is told by name while they are few', () => {
    expect(words(0)).toBe('Nobody is here yet');
    expect(words(1)).toBe('P0 is here');
    expect(words(2)).toBe('P0 and P1 are here');
    expect(words(3)).toBe('P0, P1 and 1 other are here');
    expect(words(9)).toBe('P0, P1 and 7 others are here');
  });

  it('says when there is no room', () => {
    expect(words(2, 2)).toContain('full');
    expect(isFull({ live: true, people: people(2), maxPeople: undefined })).toBe(false);
  });
});

describe('the microphone’s level', () => {
  it('rises with loudness from nothing to all', () => {
    expect(level(-100)).toBe(0);
    expect(level(0)).toBe(1);
    expect(level(-30)).toBeGreaterThan(level(-40));
  });
});
