/** Owns the dialog that hands a session on: its link, as text and for a camera, and where it works. */

import { adviceFor, isThisMachine } from './addresses';
import { copyText } from './clipboard';
import { Dialog } from './dialog';
import { element, icon, write } from './dom';
import { ICONS } from './icons';
import { qrCode } from './qr';

const COPIED_MS = 1800;
const EVERYWHERE = 'Send the link, or let a phone or a headset read the code.';
const HERE = 'Only this computer, and a headset on its cable, can open this link.';
const WITH_KEY = 'Whoever has this link can come in: it carries the session’s key.';
const WITHOUT_KEY = 'Whoever reaches this server can come in: the session has no key.';

export class ShareDialog {
  private readonly dialog: Dialog;
  private readonly code = element('div', 'share-code');
  private readonly link = element('input', 'field', {
    type: 'text',
    readonly: true,
    'aria-label': 'Link to this session',
  });
  private readonly lead = element('p', 'share-lead');
  private readonly key = element('p', 'share-key');
  private readonly advice = element('div', 'share-advice', { hidden: true });

  constructor() {
    const words = element('span', '', { 'aria-live': 'polite' }, 'Copy link');
    const copy = element('button', 'button', { type: 'button' }, icon(ICONS.copy), words);
    copy.addEventListener('click', () => {
      void copyText(this.link.value, copy).then((done) => {
        write(words, done ? 'Copied' : 'Copy failed');
        setTimeout(() => write(words, 'Copy link'), COPIED_MS);
      });
    });
    this.link.addEventListener('focus', () => this.link.select());
    const side = element(
      'div',
      'share-side',
      {},
      this.lead,
      this.link,
      copy,
      this.key,
    );
    const halves = element('div', 'share-halves', {}, this.code, side);
    this.dialog = new Dialog('Share this session', 'share', halves, this.advice);
  }

  /** Shows the link of a page's address, key included; how this page draws is nobody else's matter. */
  open(address: Location | URL = location): void {
    const link = `${address.origin}${address.pathname}${address.hash}`;
    this.link.value = link;
    this.code.replaceChildren(qrCode(link, 'QR code of the link'));
    write(this.key, /#.*key=/.test(address.hash) ? WITH_KEY : WITHOUT_KEY);
    const advice = adviceFor(address);
    write(this.lead, isThisMachine(address.hostname) ? HERE : EVERYWHERE);
    this.advice.hidden = advice === undefined;
    if (advice !== undefined) {
      this.advice.replaceChildren(element('p', '', {}, advice.words));
      if (advice.command !== undefined) this.advice.append(element('code', '', {}, advice.command));
    }
    this.dialog.open();
  }
}
