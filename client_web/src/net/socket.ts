/** Owns the browser's WebSocket: one at a time, bytes only, nothing heard of one that was left. */

import { CloseCode } from '../protocol/generated';

/** Any code but 1000 keeps the person's place for a while; browsers let pages say 3000 and above. */
const DROPPED = 3000;

export interface SocketEvents {
  readonly opened: () => void;
  readonly received: (bytes: Uint8Array) => void;
  readonly closed: (code: number, reason: string) => void;
}

export class Socket {
  private current: WebSocket | undefined;

  constructor(
    private readonly address: string,
    private readonly events: SocketEvents,
  ) {}

  /** Opens a new socket and forgets the one before. */
  open(): void {
    this.drop();
    const socket = new WebSocket(this.address);
    this.current = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      if (this.current === socket) this.events.opened();
    };
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (this.current === socket && data instanceof ArrayBuffer) {
        this.events.received(new Uint8Array(data));
      }
    };
    socket.onclose = ({ code, reason }) => {
      if (this.current !== socket) return;
      this.current = undefined;
      this.events.closed(code, reason);
    };
  }

  /** Sends, or drops it when there is no open socket. */
  send(bytes: Uint8Array): void {
    if (this.current?.readyState !== WebSocket.OPEN) return;
    this.current.send(bytes as Uint8Array<ArrayBuffer>); // never shared memory: it was just encoded
  }

  /** Bytes that wait to be sent: how far the network is behind. */
  get waitingBytes(): number {
    return this.current?.bufferedAmount ?? 0;
  }

  /** Leaves for good: the server lets go of whoever was here. */
  close(): void {
    this.end(CloseCode.LEFT);
  }

  /** Gives up a socket in order to open another: the server keeps the person's place. */
  drop(): void {
    this.end(DROPPED);
  }

  private end(code: number): void {
    const socket = this.current;
    this.current = undefined;
    socket?.close(code);
  }
}
