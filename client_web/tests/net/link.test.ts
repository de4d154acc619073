import { describe, expect, it } from 'vitest';
import { readEntry, sessionOf, sessionPath, socketAddress } from '../../src/net/link';

describe('a session’s link', () => {
  it('names the session in the path and carries the key in the fragment only', () => {
    const link = sessionOf(new URL('http://host:8080/s/demo#key=a-b_c'));
    expect(link).toEqual({ session: 'demo', key: 'a-b_c' });
    expect(sessionOf(new URL('http://host/s/demo?key=leaked'))?.key).toBeUndefined();
    expect(sessionOf(new URL('http://host/s/demo/'))).toEqual({ session: 'demo', key: undefined });
    expect(sessionOf(new URL('http://host/'))).toBeUndefined();
  });

  it('survives being written and read again', () => {
    for (const key of [undefined, 'plain', 'with+plus/and=more&others#x']) {
      const path = sessionPath({ session: 'a-b_c', key });
      expect(sessionOf(new URL(path, 'https://host'))).toEqual({ session: 'a-b_c', key });
    }
  });

  it('never puts the key into the socket’s address', () => {
    const address = socketAddress(new URL('https://host:1/s/demo#key=secret'), 'demo');
    expect(address).toBe('wss://host:1/ws/demo');
    expect(socketAddress(new URL('http://host/s/demo'), 'demo')).toBe('ws://host/ws/demo');
  });

  it('reads a typed name or a pasted link, and nothing else', () => {
    expect(readEntry('  demo ')).toEqual({ session: 'demo', key: undefined });
    expect(readEntry('http://h/s/x1#key=k')).toEqual({ session: 'x1', key: 'k' });
    for (const wrong of ['', '-demo', 'two words', 'http://h/other', 'http://h/s/%20', 'a'.repeat(65)]) {
      expect(readEntry(wrong)).toBeUndefined();
    }
  });
});
