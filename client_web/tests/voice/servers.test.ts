import { afterEach, expect, it, vi } from 'vitest';
import { usableServers } from '../../src/voice/servers';

const GOOD = { urls: ['turn:voice.example:3478'], username: '1:2', credential: 'secret' };
const OPEN = { urls: ['stun:voice.example'], username: '', credential: '' };
const SILLY = { urls: ['http://voice.example/'], username: '', credential: '' };

afterEach(() => vi.restoreAllMocks());

it('leaves out what the browser refuses, keeps the rest in order, and closes what it tried', () => {
  const warned = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  let open = 0;
  const connect = ({ iceServers = [] }: RTCConfiguration) => {
    const [{ urls } = { urls: [] }] = iceServers;
    if ([urls].flat().some((url) => !/^(stun|turn):/.test(url))) throw new DOMException('', 'SyntaxError');
    open += 1;
    return { close: () => (open -= 1) };
  };
  expect(usableServers([SILLY, GOOD, OPEN], connect)).toEqual([GOOD, { urls: OPEN.urls }]);
  expect(open).toBe(0);
  expect(warned).toHaveBeenCalledTimes(1);
});
