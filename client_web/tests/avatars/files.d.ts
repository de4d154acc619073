/** The one thing that these tests ask of Node besides the language. */
declare module 'node:fs' {
  export function readFileSync(path: URL): Uint8Array;
}
