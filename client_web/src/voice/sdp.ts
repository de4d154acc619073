/**
 * Owns session descriptions as they travel: checked when they arrive, marked with the call that
 * they belong to, and what Armspan asks of Opus. Text only; a browser's WebRTC does the rest.
 */

import { CAPS } from '../protocol/generated';

/** One line of a description; RFC 8866 has receivers ignore attributes that they do not know. */
const CALL = /^a=armspan-call:(\d{1,10})$/m;
const PRINTABLE = /^[\x20-\x7e\r\n]*$/;
/** Speech at full band; a mesh sends it once to each of five others. */
export const SPEECH_BITS_PER_S = 32_000;

export interface Description {
  readonly call: number;
  readonly sdp: string;
}

/** Marks a description with its call; undefined if it would not fit into a signal. */
export function writeDescription({ call, sdp }: Description): string | undefined {
  const text = `${sdp.trimEnd()}\r\na=armspan-call:${call}\r\n`;
  return text.length <= CAPS.SIGNAL_BYTES && PRINTABLE.test(text) ? text : undefined;
}

/**
 * Reads what someone sent; undefined unless it describes one line of sound and nothing else. A
 * description without a call (another program's) belongs to call 0.
 */
export function readDescription(text: string): Description | undefined {
  if (text.length > CAPS.SIGNAL_BYTES || !PRINTABLE.test(text)) return undefined;
  const lines = text.split(/\r?\n/);
  const media = lines.filter((line) => line.startsWith('m='));
  if (lines[0] !== 'v=0' || media.length !== 1 || !media[0]?.startsWith('m=audio ')) return undefined;
  const call = Number(CALL.exec(text)?.[1] ?? 0);
  const sdp = lines.filter((line) => line !== '' && !line.startsWith('a=armspan-call:'));
  return { call, sdp: `${sdp.join('\r\n')}\r\n` };
}

/**
 * Asks the one who sent this description, by what is applied here, to send little while they are
 * silent (RFC 7587, section 6.1: usedtx) and to mend losses (useinbandfec).
 */
export function withSparseSpeech(sdp: string): string {
  const opus = /^a=rtpmap:(\d+) opus\/48000/m.exec(sdp)?.[1];
  if (opus === undefined) return sdp;
  return sdp.replace(new RegExp(`^(a=fmtp:${opus} )([^\\r\\n]*)`, 'm'), (_, start: string, old: string) => {
    const kept = old.split(';').filter((each) => !/^\s*(usedtx|useinbandfec)=/.test(each));
    return `${start}${[...kept, 'useinbandfec=1', 'usedtx=1'].join(';')}`;
  });
}
