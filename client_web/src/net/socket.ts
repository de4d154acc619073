/** Owns the browser's WebSocket: one at a time, bytes only, nothing heard of one that was left. */

import { CloseCode } from '../protocol/generated';

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
    this.close();
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

  close(): void {
    const socket = this.current;
    this.current = undefined;
    socket?.close(CloseCode.LEFT);
  }
}
