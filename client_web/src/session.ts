/**
 * Owns one session as this page knows it: the connection, who is here, how they move, and whether
 * one takes part or watches. It draws nothing; the page reads it once a frame. Local times are
 * milliseconds of the page's clock.
 */

import { MISSED, UNREADABLE, type Closing } from './net/closing';
import { Connection, type Phase } from './net/connection';
import { Meter } from './net/meter';
import { Roster, type SessionEvent } from './net/roster';
import { Socket } from './net/socket';
import { Playback } from './motion/playback';
import {
  PROTOCOL_REVISION,
  PROTOCOL_VERSION,
  ProtocolError,
  Role,
  SNAPSHOT_ID,
  SnapshotArrays,
  cleanName,
  decodeFromServer,
  decodeSnapshot,
  encode,
  type ClientMessage,
  type Lengths,
  type Look,
  type ServerMessage,
  type SignalKind,
  type Statistics,
  type VoiceServers,
  type Welcome,
} from './protocol/generated';

/** Who someone is who takes part. */
export interface Identity {
  readonly name: string;
  readonly look: Look;
  /** Undefined: of average size, or as the server remembers a returning person. */
  readonly lengths: Lengths | undefined;
}

export interface SessionOptions {
  readonly address: string;
  /** Goes into hello and nowhere else. */
  readonly key: string | undefined;
}

/** What the page is told besides `onChange`. Messages arrive here as the server sent them. */
export interface SessionEvents {
  /** The phase, the people or the statistics are others. */
  readonly changed: () => void;
  /** The server said who one is: at first, and after every new connection. */
  readonly welcomed: () => void;
  /** The server did not do what was asked, and says why. */
  readonly refused: (what: number, text: string) => void;
  readonly signalled: (sender: number, kind: SignalKind, text: string) => void;
  readonly voiceServers: (message: VoiceServers) => void;
}

const CLIENT = 'web 0.1';
const ANONYMOUS = 'Guest';

export class Session {
  readonly roster = new Roster();
  readonly playback = new Playback();
  readonly meter = new Meter();
  readonly connection: Connection;
  /** What the server says of the session, once a second; undefined before the first. */
  statistics: Statistics | undefined;
  /** As the last welcome said it; undefined before the first. */
  welcome: Welcome | undefined;
  private identity: Identity | undefined;
  private token: Uint8Array | null = null;
  private readonly socket: Socket;
  private readonly snapshot = new SnapshotArrays();

  constructor(
    private readonly options: SessionOptions,
    private readonly events: SessionEvents,
  ) {
    this.socket = new Socket(options.address, {
      opened: () => this.connection.onOpen(performance.now()),
      received: (bytes) => this.receive(bytes, performance.now()),
      closed: (code, reason) => this.connection.onClose(performance.now(), code, reason),
    });
    this.connection = new Connection(
      {
        open: () => this.socket.open(),
        sayHello: () => this.socket.send(this.hello()),
        ping: () => this.say({ type: 'ClockPing', clientTimeUs: Math.round(performance.now() * 1000) }),
        close: () => this.socket.close(),
        drop: () => this.socket.drop(),
      },
      () => events.changed(),
    );
  }

  get phase(): Phase {
    return this.connection.phase;
  }

  /** Whether this page takes part, or asks to. */
  get takesPart(): boolean {
    return this.identity !== undefined;
  }

  /** One's own person; 0 while watching. */
  get ownId(): number {
    return this.takesPart ? (this.welcome?.yourId ?? 0) : 0;
  }

  /** Proves to the server's other doors that one is this person; undefined while watching. */
  get ownToken(): Uint8Array | undefined {
    return this.token ?? undefined;
  }

  /** Comes in to watch. */
  watch(nowMs: number): void {
    if (this.takesPart) this.leaveRole();
    this.connection.start(nowMs);
  }

  /** Takes part from now on; or, if one does already, is someone a little different. */
  join(identity: Identity, nowMs: number): void {
    const before = this.identity;
    this.identity = identity;
    if (before === undefined || this.phase.kind !== 'live') this.connection.start(nowMs);
    else this.change(before, identity);
  }

  /** Goes for good. */
  leave(): void {
    if (this.takesPart) this.leaveRole();
    this.connection.leave();
  }

  /** Says something to the server; dropped while there is no connection. */
  say(message: ClientMessage): void {
    if (this.phase.kind === 'live') this.socket.send(encode(message));
  }

  /** Sends a frame as it is; false when it was not sent, because the network is behind or gone. */
  sendFrame(bytes: Uint8Array, mostWaitingBytes: number): boolean {
    if (this.phase.kind !== 'live' || this.ownId === 0) return false;
    if (this.socket.waitingBytes > mostWaitingBytes) return false;
    this.socket.send(bytes);
    return true;
  }

  private leaveRole(): void {
    this.say({ type: 'Leave' });
    this.socket.close(); // also before the welcome: else the server would keep a place for nobody
    this.identity = undefined;
    this.token = null;
  }

  private change(before: Identity, { name, look, lengths }: Identity): void {
    if (name !== before.name) this.say({ type: 'Rename', name: named(name) });
    if (look !== before.look) this.say({ type: 'ChangeLook', look });
    if (lengths !== undefined && lengths !== before.lengths) {
      this.say({ type: 'ChangeLengths', lengths });
    }
  }

  private hello(): Uint8Array {
    const { identity } = this;
    return encode({
      type: 'Hello',
      protocolVersion: PROTOCOL_VERSION,
      name: named(identity?.name ?? ''),
      role: identity === undefined ? Role.SPECTATOR : Role.PARTICIPANT,
      key: this.options.key ?? null,
      token: this.token,
      lengths: identity?.lengths ?? null,
      client: CLIENT,
      look: identity?.look ?? null,
      revision: PROTOCOL_REVISION,
    });
  }

  private receive(bytes: Uint8Array, nowMs: number): void {
    this.meter.add(nowMs, bytes.length);
    const wrong = this.read(bytes, nowMs);
    if (wrong === undefined) this.connection.onHeard(nowMs);
    else this.connection.onNonsense(nowMs, wrong);
  }

  /** Takes one message; returns what is wrong with it, if anything. */
  private read(bytes: Uint8Array, nowMs: number): Closing | undefined {
    try {
      if (bytes[0] !== SNAPSHOT_ID) return this.take(decodeFromServer(bytes), nowMs);
      decodeSnapshot(bytes, this.snapshot);
      this.playback.receive(this.snapshot, nowMs * 1000);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      console.warn(`The server's message could not be read: ${error.message}`);
      return UNREADABLE;
    }
  }

  private take(message: ServerMessage, nowMs: number): Closing | undefined {
    switch (message.type) {
      case 'Welcome':
        this.admit(message, nowMs);
        break;
      case 'ClockPong': {
        const { clientTimeUs, receivedUs, sentUs } = message;
        this.playback.clock.observe(clientTimeUs, receivedUs, sentUs, nowMs * 1000);
        return undefined;
      }
      case 'Statistics':
        this.statistics = message;
        break;
      case 'Signalled':
        this.events.signalled(message.sender, message.kind, message.text);
        return undefined;
      case 'VoiceServers':
        this.events.voiceServers(message);
        return undefined;
      case 'Refused':
        this.events.refused(message.what, message.text);
        return undefined;
      case 'Error':
        return undefined; // the close that follows carries the code, and the sentence goes by it
      default:
        if (!this.roster.apply(message)) return MISSED;
        this.follow(message);
    }
    this.events.changed();
    return undefined;
  }

  /** Playback has to know how large people are, and from when on. */
  private follow(event: SessionEvent): void {
    const id = event.type === 'Joined' ? event.person.id : event.id;
    const person = this.roster.person(id);
    if (person === undefined) this.playback.forgetLengths(id);
    else this.playback.tellLengths(id, person.lengthsVersion, person.lengths);
  }

  private admit(welcome: Welcome, nowMs: number): void {
    this.roster.welcome(welcome);
    this.playback.restart(welcome.sessionTimeUs, nowMs * 1000);
    for (const { id, lengthsVersion, lengths } of welcome.people) {
      this.playback.tellLengths(id, lengthsVersion, lengths);
    }
    this.welcome = welcome;
    this.token = welcome.token;
    this.connection.onWelcome(nowMs);
    this.events.welcomed();
  }
}

function named(name: string): string {
  return cleanName(name) || ANONYMOUS;
}
