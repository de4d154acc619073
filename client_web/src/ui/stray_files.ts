/**
 * Owns files that are dropped beside the place for them: left to itself, a browser goes to the file,
 * and whoever missed the place by a finger's breadth has left the session.
 */

/** Ignores files that nobody has taken from now on; dragged text is the browser's matter. */
export function ignoreStrayFiles(page: Pick<Window, 'addEventListener'>): void {
  for (const kind of ['dragover', 'drop'] as const) page.addEventListener(kind, ignore);
}

function ignore(event: DragEvent): void {
  const { dataTransfer } = event;
  if (event.defaultPrevented || dataTransfer === null || !dataTransfer.types.includes('Files')) return;
  event.preventDefault();
  dataTransfer.dropEffect = 'none';
}
