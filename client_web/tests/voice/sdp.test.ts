import { describe, expect, it } from 'vitest';
import { CAPS } from '../../src/protocol/generated';
import { readDescription, withSparseSpeech, writeDescription } from '../../src/voice/sdp';

const LINES = [
  'v=0',
  'o=- 42 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'c=IN IP4 0.0.0.0',
  'a=mid:0',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=0',
];
const SDP = `${LINES.join('\r\n')}\r\n`;

describe('a description on its way', () => {
  it('comes back as it was, with its call', () => {
    const text = writeDescription({ call: 77, sdp: SDP });
    expect(readDescription(text ?? '')).toEqual({ call: 77, sdp: SDP });
  });

  it('belongs to call 0 without a mark, and may end its lines either way', () => {
    expect(readDescription(SDP.replaceAll('\r\n', '\n'))).toEqual({ call: 0, sdp: SDP });
  });

  it('is not sent when it does not fit a signal', () => {
    const long = SDP + 'a=x:' + 'y'.repeat(CAPS.SIGNAL_BYTES);
    expect(writeDescription({ call: 1, sdp: long })).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['no description', 'hello'],
    ['no sound', SDP.replace('m=audio', 'm=video')],
    ['no line of media', LINES.slice(0, 4).join('\r\n')],
    ['a second line of media', `${SDP}m=video 9 UDP/TLS/RTP/SAVPF 96\r\n`],
    ['a data channel besides', `${SDP}m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n`],
    ['control characters', SDP.replace('s=-', 's=\u0007')],
    ['other alphabets', SDP.replace('s=-', 's=ü')],
    ['too much', SDP + 'a=x\r\n'.repeat(2000)],
  ])('is refused: %s', (_, text) => {
    expect(readDescription(text)).toBeUndefined();
  });

  it('asks for little while silent, and keeps what else is asked', () => {
    const sparse = withSparseSpeech(SDP);
    expect(sparse).toContain('a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1\r\n');
    expect(withSparseSpeech(sparse)).toBe(sparse);
    expect(withSparseSpeech('v=0\r\n')).toBe('v=0\r\n');
  });
});
