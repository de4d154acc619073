/** Owns the list of what this browser can do: a line that says it in short, and the words behind it. */

import { deviceChecks, type DeviceCheck, type DeviceFacts, type Verdict } from './device';
import { element, icon, write } from './dom';
import { ICONS } from './icons';

const VERDICTS: Readonly<Record<Verdict, string>> = { yes: 'yes', no: 'no', perhaps: 'not known yet' };

export class DeviceList {
  readonly root: HTMLDetailsElement;
  private readonly short = element('span', 'device-short', {}, 'Looking…');
  private readonly list = element('ul', 'device-checks');

  constructor() {
    const title = element('span', 'device-title', {}, 'This browser');
    const summary = element('summary', 'device-summary', {}, title, this.short, icon(ICONS.up));
    this.root = element('details', 'device', {}, summary, this.list);
  }

  show(facts: DeviceFacts): void {
    const checks = deviceChecks(facts);
    write(this.short, shortly(facts));
    this.list.replaceChildren(...checks.map(row));
  }
}

/** The one thing worth knowing at a glance. */
export function shortly({ secure, webgl2, headset }: DeviceFacts): string {
  if (!webgl2) return 'can’t draw in 3D';
  if (!secure) return 'no microphone, no headset here';
  return headset ? 'ready for a headset' : 'ready, without a headset';
}

function row({ name, verdict, words }: DeviceCheck): HTMLElement {
  const sign = element('span', `verdict ${verdict}`, {}, icon(ICONS[verdict]));
  const spoken = element('span', 'unseen', {}, `: ${VERDICTS[verdict]}. `);
  const text = element('span', 'device-words', {}, words);
  const told = element('span', '', {}, element('strong', '', {}, name), spoken, text);
  return element('li', 'device-check', {}, sign, told);
}
