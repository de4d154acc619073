/** Owns which words a person in a headset is shown now, and how clearly: passing ones, or a lasting state. */

const APPEAR_S = 0.08;
const FADE_S = 0.25;
const GONE = 0.02;
/** As long as it takes to notice it, and to read it. */
const NOTICE_S = 2;
const LETTER_S = 0.055;
const LONGEST_S = 8;

export class PassingWords {
  /** What is to be seen, also while it fades. */
  text = '';
  /** 0 to 1. */
  opacity = 0;
  private kept = '';
  private leftS = 0;

  /** Shows a text for a while; it goes before any other. */
  say(text: string): void {
    this.text = text;
    this.leftS = Math.min(NOTICE_S + LETTER_S * text.length, LONGEST_S);
  }

  /** Shows a text until it is another; empty: none. */
  keep(text: string): void {
    this.kept = text;
  }

  /** One frame. `seen`: whether there is anyone to read it; what is said to nobody is forgotten. */
  update(seen: boolean, passedS: number): void {
    if (!seen) {
      this.leftS = this.opacity = 0;
      return;
    }
    this.leftS = Math.max(this.leftS - passedS, 0);
    if (this.leftS === 0 && this.kept !== '') this.text = this.kept;
    const goal = this.leftS > 0 || this.kept !== '' ? 1 : 0;
    const inS = goal > this.opacity ? APPEAR_S : FADE_S;
    this.opacity = goal + (this.opacity - goal) * Math.exp(-passedS / inS);
    if (goal === 0 && this.opacity < GONE) this.opacity = 0;
  }
}
