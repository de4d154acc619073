/** Owns how much arrives a second, over a sliding window of a few seconds. */

const SLOT_MS = 250;
const SLOTS = 12;

export class Meter {
  private readonly bytes = new Float64Array(SLOTS);
  private readonly messages = new Float64Array(SLOTS);
  private slot = Number.NaN;
  private firstMs = Number.NaN;

  add(nowMs: number, bytes: number): void {
    this.turnTo(nowMs);
    const index = this.slot % SLOTS;
    this.bytes[index] = (this.bytes[index] ?? 0) + bytes;
    this.messages[index] = (this.messages[index] ?? 0) + 1;
  }

  bytesPerSecond(nowMs: number): number {
    return this.perSecond(nowMs, this.bytes);
  }

  messagesPerSecond(nowMs: number): number {
    return this.perSecond(nowMs, this.messages);
  }

  private perSecond(nowMs: number, counts: Float64Array): number {
    if (Number.isNaN(this.slot)) return 0;
    this.turnTo(nowMs);
    const sum = counts.reduce((total, each) => total + each, 0);
    const windowMs = nowMs - Math.max(this.firstMs, (this.slot - SLOTS + 1) * SLOT_MS);
    return windowMs < SLOT_MS ? 0 : (1000 * sum) / windowMs;
  }

  private turnTo(nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    if (Number.isNaN(this.slot)) {
      this.slot = slot;
      this.firstMs = nowMs;
    }
    const passed = Math.min(slot - this.slot, SLOTS);
    for (let step = 1; step <= passed; step += 1) {
      this.bytes[(slot - passed + step) % SLOTS] = 0;
      this.messages[(slot - passed + step) % SLOTS] = 0;
    }
    if (slot > this.slot) this.slot = slot;
  }
}
