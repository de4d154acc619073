/**
 * Owns what one button does with one's voice, for who sees no controls: it mutes and opens the
 * microphone, or opens it while it is held, as chosen; and says in words why it does neither.
 */

import type { TalkMode } from './switch';
import type { PersonVoice } from './talkers';

/** As much of a `Talk` as the button needs. */
export interface ButtonTalk {
  readonly phase: 'out' | 'asking' | 'entering' | 'in';
  readonly speakingOneself: boolean;
  readonly own: {
    readonly equipped: boolean;
    readonly open: boolean;
    readonly mode: TalkMode;
    setMuted(muted: boolean): void;
    hold(held: boolean): void;
  };
}

export const VOICE_OFF = 'Your voice is off. Leave VR to switch it on.';
export const VOICE_COMES = 'Your voice is being switched on.';
export const NO_MICROPHONE = 'No microphone is in use: you hear the others, and they do not hear you.';

export class MuteButton {
  constructor(
    private readonly talk: ButtonTalk,
    private readonly say: (text: string) => void,
  ) {}

  /** The button went down, or up. */
  press(down: boolean): void {
    const { phase, own } = this.talk;
    if (!down) own.hold(false);
    else if (phase === 'out') this.say(VOICE_OFF);
    else if (phase !== 'in') this.say(VOICE_COMES);
    else if (!own.equipped) this.say(NO_MICROPHONE);
    else if (own.mode === 'push') own.hold(true);
    else own.setMuted(own.open);
  }
}

/** What the others hear of oneself, as this page knows it. */
export function ownVoiceOf({ phase, own, speakingOneself }: ButtonTalk): PersonVoice {
  if (phase !== 'in') return 'off';
  if (!own.open) return 'muted';
  return speakingOneself ? 'speaking' : 'open';
}
