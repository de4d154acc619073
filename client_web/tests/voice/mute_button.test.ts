import { describe, expect, it } from 'vitest';
import { MuteButton, NO_MICROPHONE, ownVoiceOf, VOICE_COMES, VOICE_OFF, type ButtonTalk } from '../../src/voice/mute_button';
import { MicrophoneSwitch } from '../../src/voice/switch';

function talk(phase: ButtonTalk['phase'], equipped = true, speakingOneself = false) {
  const own = Object.assign(new MicrophoneSwitch(), { equipped });
  const said: string[] = [];
  const whole = { phase, own, speakingOneself };
  return { ...whole, said, button: new MuteButton(whole, (text) => said.push(text)) };
}

describe('the button for one’s voice', () => {
  it('mutes and opens, once for each press', () => {
    const { own, button, said } = talk('in');
    const opened = [true, false, true, false].map((down) => {
      button.press(down);
      return own.open;
    });
    expect([opened, said]).toEqual([[false, false, true, true], []]);
  });

  it('opens while it is held, where one chose to hold', () => {
    const { own, button } = talk('in');
    own.setMode('push');
    button.press(true);
    expect(own.open).toBe(true);
    button.press(false);
    expect(own.open).toBe(false);
  });

  it.each([
    ['out', true, VOICE_OFF],
    ['asking', true, VOICE_COMES],
    ['entering', true, VOICE_COMES],
    ['in', false, NO_MICROPHONE],
  ] as const)('says why it does nothing: %s, equipped %s', (phase, equipped, words) => {
    const { button, said } = talk(phase, equipped);
    button.press(true);
    button.press(false);
    expect(said).toEqual([words]);
  });

  it('has a sign for all that the others may hear', () => {
    const muted = talk('in');
    muted.own.setMuted(true);
    const signs = [talk('out'), talk('entering'), muted, talk('in'), talk('in', true, true)].map(ownVoiceOf);
    expect(signs).toEqual(['off', 'off', 'muted', 'open', 'speaking']);
  });
});
