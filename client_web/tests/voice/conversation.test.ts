import { describe, expect, it } from 'vitest';
import { Voice } from '../../src/protocol/generated';
import { ANNOUNCE_EVERY_MS, Conversation, REFRESH_AT } from '../../src/voice/conversation';

function begin() {
  const said: Voice[] = [];
  const conversation = new Conversation((voice) => said.push(voice));
  return { said, conversation };
}

function inTalk() {
  const begun = begin();
  begun.conversation.welcomed(0);
  begun.conversation.enter(0);
  begun.conversation.grant(0, 10);
  begun.conversation.confirmed(Voice.MUTED);
  return begun;
}

describe('one’s part in the talk', () => {
  it('says nothing until one wants to be in it', () => {
    const { said, conversation } = begin();
    conversation.welcomed(0);
    conversation.speak(true, 0);
    conversation.tick(1000);
    expect(said).toEqual([]);
    expect(conversation.phase).toBe('out');
  });

  it('waits for the session before it says so', () => {
    const { said, conversation } = begin();
    conversation.enter(0);
    expect([said, conversation.phase]).toEqual([[], 'entering']);
    conversation.welcomed(10);
    expect(said).toEqual([Voice.MUTED]);
  });

  it('is in once it is confirmed and the way to the others is known', () => {
    const { conversation } = begin();
    conversation.welcomed(0);
    conversation.enter(0);
    conversation.confirmed(Voice.MUTED);
    expect(conversation.phase).toBe('entering');
    conversation.grant(0, 10);
    expect(conversation.phase).toBe('in');
  });

  it('tells of opening and muting, at most so often, and ends with the truth', () => {
    const { said, conversation } = inTalk();
    for (let nowMs = 1000; nowMs < 2000; nowMs += 20) conversation.speak((nowMs / 20) % 2 === 0, nowMs);
    expect(said.length).toBeGreaterThan(2);
    expect(said.length).toBeLessThanOrEqual(2 + 1000 / ANNOUNCE_EVERY_MS);
    conversation.speak(true, 2000);
    conversation.tick(2000 + ANNOUNCE_EVERY_MS);
    expect(said[said.length - 1]).toBe(Voice.OPEN);
  });

  it('asks for new credentials before the old ones end, once each time', () => {
    const { said, conversation } = inTalk();
    conversation.grant(100, 0);
    for (let nowMs = 0; nowMs <= 100_000 * REFRESH_AT; nowMs += 500) conversation.tick(nowMs);
    expect(said).toEqual([Voice.MUTED, Voice.MUTED]);
    conversation.tick(99_000);
    expect(said).toHaveLength(2);
    conversation.grant(100, 75_500);
    conversation.tick(99_000);
    expect(said).toHaveLength(2);
    conversation.tick(75_500 + 100_000 * REFRESH_AT);
    expect(said).toHaveLength(3);
  });

  it('asks again after a lost connection, as it was', () => {
    const { said, conversation } = inTalk();
    conversation.speak(true, 1000);
    conversation.lost();
    expect(conversation.phase).toBe('entering');
    conversation.tick(5000);
    expect(said).toEqual([Voice.MUTED, Voice.OPEN]);
    conversation.welcomed(6000);
    expect(said).toEqual([Voice.MUTED, Voice.OPEN, Voice.OPEN]);
  });

  it('leaves, and stays out after a lost connection', () => {
    const { said, conversation } = inTalk();
    conversation.leave();
    expect([said, conversation.phase]).toEqual([[Voice.MUTED, Voice.OFF], 'out']);
    conversation.lost();
    conversation.welcomed(1000);
    expect(said).toHaveLength(2);
  });

  it('asks no more once the server has refused', () => {
    const { said, conversation } = begin();
    conversation.welcomed(0);
    conversation.enter(0);
    conversation.refused();
    conversation.tick(10_000);
    expect([said, conversation.phase]).toEqual([[Voice.MUTED], 'out']);
  });

  it('notices being taken out', () => {
    const { conversation } = inTalk();
    expect(conversation.confirmed(Voice.OPEN)).toBe(false);
    expect(conversation.confirmed(Voice.OFF)).toBe(true);
  });
});
