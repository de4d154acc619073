/** Owns how numbers are written for people. */

/** A rate of bytes, with three digits at most. */
export function bytesPerSecond(rate: number): string {
  if (rate < 1000) return `${Math.round(rate)} B/s`;
  if (rate < 1e6) return `${short(rate / 1000)} kB/s`;
  return `${short(rate / 1e6)} MB/s`;
}

/** A duration given in microseconds; a dash while it is not known. */
export function milliseconds(us: number): string {
  if (!Number.isFinite(us)) return '–';
  return us < 9_950 ? `${(us / 1000).toFixed(1)} ms` : `${Math.round(us / 1000)} ms`;
}

export function hertz(rate: number): string {
  return Number.isFinite(rate) && rate > 0 ? `${rate.toFixed(rate < 99.95 ? 1 : 0)} Hz` : '–';
}

export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A countdown: whole seconds, rounded up, so that it never says 0 while waiting. */
export function countdown(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / 1000))} s`;
}

function short(value: number): string {
  return value < 9.95 ? value.toFixed(1) : String(Math.round(value));
}
