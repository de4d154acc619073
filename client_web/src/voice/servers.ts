/**
 * Owns which of the servers that a session names this browser can use. A browser refuses a whole
 * list for one address that it cannot read, and then no line could be opened to anyone.
 */

import type { IceServer } from '../protocol/generated';

/** The servers that `connect` takes, in their order. Each try opens a connection, and closes it. */
export function usableServers(
  servers: readonly IceServer[],
  connect: (configuration: RTCConfiguration) => Pick<RTCPeerConnection, 'close'>,
): RTCIceServer[] {
  return servers.map(configured).filter((server, index) => {
    try {
      connect({ iceServers: [server] }).close();
      return true;
    } catch (error) {
      console.warn(`Voice server ${index + 1} is left out: ${error instanceof Error ? error.name : 'unusable'}`);
      return false;
    }
  });
}

function configured({ urls, username, credential }: IceServer): RTCIceServer {
  return { urls: [...urls], ...(username === '' ? {} : { username, credential }) };
}
