import { describe, expect, it } from 'vitest';
import { readEntry, sessionAddress, sessionOf, sessionPath, socketAddress } from '../../src/net/link';

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
    expect(readEntry('http://h/s/x1#key=k')).toEqual({
      session: 'x1',
      key: 'k',
      origin: 'http://h',
    });
    for (const wrong of ['', '-demo', 'two words', 'http://h/other', 'http://h/s/%20', 'a'.repeat(65)]) {
      expect(readEntry(wrong)).toBeUndefined();
    }
  });

  it('of another server leads to that server, with the key in the fragment', () => {
    for (const link of ['https://other:81/s/x1#key=k', 'http://127.0.0.1:8080/s/demo']) {
      expect(sessionAddress(readEntry(link) ?? { session: '', key: '' })).toBe(link);
    }
    expect(sessionAddress({ session: 'x1', key: 'k' })).toBe('/s/x1#key=k');
    const named = readEntry('https://ada:password@other/s/x1?key=leaked');
    expect(named).toEqual({ session: 'x1', key: undefined, origin: 'https://other' });
  });

  it('is a web page’s address: nothing that would run here or open a file', () => {
    for (const scheme of ['javascript://h', 'data:', 'javascript:', 'file://', 'ws://h', 'ftp://h']) {
      expect(readEntry(`${scheme}/s/x1#key=k`)).toBeUndefined();
    }
  });
});
