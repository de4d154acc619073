/**
 * Owns one session as this page knows it: the connection, who is here, and how they move. It
 * draws nothing; the page reads it once a frame. Local times are milliseconds of the page's clock.
 */

import { MISSED, UNREADABLE, type Closing } from './net/closing';
import { Connection, type Phase } from './net/connection';
import { Meter } from './net/meter';
import { Roster } from './net/roster';
import { Socket } from './net/socket';
import { Playback } from './motion/playback';
import {
  PROTOCOL_VERSION,
  ProtocolError,
  Role,
  SNAPSHOT_ID,
  SnapshotArrays,
  cleanName,
  decodeFromServer,
  decodeSnapshot,
  encode,
  type ServerMessage,
  type Statistics,
  type Welcome,
} from './protocol/generated';

export interface SessionOptions {
  readonly address: string;
  readonly name: string;
  /** Goes into hello and nowhere else. */
  readonly key: string | undefined;
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
  /** As the welcome said it; undefined before the first. */
  tickRateHz: number | undefined;
  private readonly socket: Socket;
  private readonly snapshot = new SnapshotArrays();

  /** `onChange` is told when the phase, the people or the statistics are others. */
  constructor(
    private readonly options: SessionOptions,
    private readonly onChange: () => void,
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
        ping: () => this.socket.send(ping(performance.now())),
        close: () => this.socket.close(),
      },
      () => onChange(),
    );
  }

  get phase(): Phase {
    return this.connection.phase;
  }

  private hello(): Uint8Array {
    return encode({
      type: 'Hello',
      protocolVersion: PROTOCOL_VERSION,
      name: cleanName(this.options.name) || ANONYMOUS,
      role: Role.SPECTATOR,
      key: this.options.key ?? null,
      client: CLIENT,
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
        this.welcome(message, nowMs);
        break;
      case 'ClockPong': {
        const { clientTimeUs, receivedUs, sentUs } = message;
        this.playback.clock.observe(clientTimeUs, receivedUs, sentUs, nowMs * 1000);
        return undefined;
      }
      case 'Statistics':
        this.statistics = message;
        break;
      case 'Error':
        return undefined; // the close that follows carries the code, and the sentence goes by it
      default:
        if (!this.roster.apply(message)) return MISSED;
    }
    this.onChange();
    return undefined;
  }

  private welcome(welcome: Welcome, nowMs: number): void {
    this.roster.welcome(welcome);
    this.playback.restart(welcome.sessionTimeUs, nowMs * 1000);
    this.tickRateHz = welcome.tickRateHz;
    this.connection.onWelcome(nowMs);
  }
}

function ping(nowMs: number): Uint8Array {
  return encode({ type: 'ClockPing', clientTimeUs: Math.round(nowMs * 1000) });
}
