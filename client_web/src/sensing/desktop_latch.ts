/** Owns a key that works while it is held, and stays on after a short press until the next one. */

const TAP_MS = 250;

export class Latch {
  private held = false;
  private kept = false;
  /** This press ended what was kept on, and does nothing else. */
  private spent = false;
  private pressedMs = 0;

  get on(): boolean {
    return this.kept || (this.held && !this.spent);
  }

  press(nowMs: number): void {
    this.spent = this.kept;
    this.kept = false;
    this.held = true;
    this.pressedMs = nowMs;
  }

  release(nowMs: number): void {
    if (this.held && !this.spent && nowMs - this.pressedMs < TAP_MS) this.kept = true;
    this.held = false;
    this.spent = false;
  }

  /** As a button on the screen does: on, or off. */
  toggle(): void {
    const on = this.on;
    this.end();
    this.kept = !on;
  }

  /** The key is no longer held; what was kept on stays. */
  drop(): void {
    this.held = false;
    this.spent = false;
  }

  /** Off, whatever is held. */
  end(): void {
    this.kept = false;
    this.spent = true;
  }
}
