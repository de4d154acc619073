/**
 * Owns the session's people as the page shows them: a row in the panel, a look in the picture, a
 * name over the head. Looks are kept and rewritten: the picture reads them in every frame.
 */

import { DEFAULT_LENGTHS, type Floats } from '../motion/bones';
import { Provenance, Voice, type Person } from '../protocol/generated';
import type { Participant } from '../participant';
import type { Appearance } from '../scene/figure_slot';
import type { LabelText } from '../scene/labels';
import { colourOf } from '../scene/palette';
import type { Session } from '../session';
import { toHex } from './choice';
import type { PersonRow, PersonVoice } from './panel';

/** Bot 2 comes before Bot 10. */
const byName = new Intl.Collator(undefined, { numeric: true });
const NOTHING: Floats = [0, 0, 0];
const BOTH_HANDS = 40;

/** Whether a person speaks at this moment. */
export type Speaking = (id: number) => boolean;

interface Look extends Appearance {
  colour: string;
  lengths: Floats;
  connected: boolean;
  provenance: Floats;
  avatar: string;
  readonly fingers: Float64Array;
  fingersKnown: number;
  firstPerson: boolean;
}

/** Rewritten for everyone who has a label. */
const _label = { name: '', colour: '', speaking: false };

export class People {
  private readonly looks = new Map<number, Look>();

  constructor(
    private readonly session: Session,
    private readonly participant: Participant,
    /** Whether one sees through one's own eyes. */
    private readonly inside: () => boolean,
    private readonly speaking: Speaking,
  ) {}

  /** Takes over what the session says of its people now. */
  refresh(): void {
    const { roster, phase } = this.session;
    for (const id of this.looks.keys()) if (roster.person(id) === undefined) this.looks.delete(id);
    for (const person of roster.all) this.describe(person, phase.kind === 'live');
  }

  rows(): PersonRow[] {
    const people = [...this.session.roster.all];
    people.sort((a, b) => byName.compare(a.name, b.name) || a.id - b.id);
    return people.map((person) => this.row(person));
  }

  /** How someone is drawn in this frame. Read it before the next one is asked for. */
  look(id: number): Appearance | undefined {
    const look = this.looks.get(id);
    if (look === undefined) return undefined;
    const { playback, ownId } = this.session;
    look.lengths = playback.lengths(id) ?? DEFAULT_LENGTHS;
    look.provenance = playback.provenance(id) ?? NOTHING;
    const own = id === ownId && this.participant.present;
    look.firstPerson = own && this.inside();
    if (own) {
      look.fingersKnown = this.participant.sensors.fingersKnown;
      look.fingers.set(this.participant.sensors.fingers);
    } else {
      look.fingersKnown = playback.fingers(id, look.fingers);
    }
    return look;
  }

  label(id: number): LabelText | undefined {
    const person = this.session.roster.person(id);
    const look = this.looks.get(id);
    if (person === undefined || look === undefined) return undefined;
    _label.name = person.name;
    _label.colour = look.colour;
    _label.speaking = this.speaking(id);
    return _label;
  }

  private describe(person: Person, live: boolean): void {
    const look = this.looks.get(person.id) ?? fresh();
    look.colour = colourOfPerson(person);
    look.connected = person.connected && live;
    look.avatar = person.look.avatar;
    this.looks.set(person.id, look);
  }

  private row(person: Person): PersonRow {
    const { id, name, connected } = person;
    const provenance = this.session.playback.provenance(id);
    return {
      id,
      name,
      colour: colourOfPerson(person),
      away: !connected,
      state: connected ? trackingState(provenance) : 'away',
      voice: this.voiceOf(person),
      self: id === this.session.ownId,
    };
  }

  private voiceOf({ id, voice }: Person): PersonVoice {
    if (voice === Voice.OFF) return 'off';
    if (voice === Voice.MUTED) return 'muted';
    return this.speaking(id) ? 'speaking' : 'open';
  }
}

function fresh(): Look {
  return {
    colour: '#888888',
    lengths: DEFAULT_LENGTHS,
    connected: false,
    provenance: NOTHING,
    avatar: '',
    fingers: new Float64Array(BOTH_HANDS),
    fingersKnown: 0,
    firstPerson: false,
  };
}

/** The colour a person chose, or the one that the page gives everybody. */
export function colourOfPerson({ id, look }: Pick<Person, 'id' | 'look'>): string {
  return look.colour === null ? colourOf(id) : toHex(look.colour);
}

/** What is missing of a body, in words; empty when head and hands are followed. */
export function trackingState(provenance: ArrayLike<number> | undefined): string {
  if (provenance === undefined) return 'not tracked yet';
  const [head, left, right] = [0, 1, 2].map((sensor) => provenance[sensor] === Provenance.LOST);
  if (head) return 'head lost';
  if (left && right) return 'hands lost';
  if (left) return 'left hand lost';
  return right ? 'right hand lost' : '';
}
