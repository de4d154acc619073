/** Owns choosing an avatar: tiles with portraits in the person's colour, and one's own file. */

import { shippedAvatars } from './avatar_list';
import { FIGURE, isOwn } from './choice';
import { element, icon } from './dom';
import { ICONS } from './icons';
import { OwnAvatar, type Upload } from './own_avatar';
import { Radios } from './radios';

const OWN = 'own';
const PORTRAITS = '/portraits';

export class AvatarPicker {
  readonly root: HTMLElement;
  private readonly radios = new Radios('Avatar', 'avatar', () => this.changed());
  private readonly own: OwnAvatar;
  private readonly ownTile: HTMLElement;
  private wanted = '';

  /** Without `upload` a file of one's own waits, and is told as `file`. */
  constructor(
    upload: Upload | undefined,
    private readonly onChange: (avatar: string) => void,
  ) {
    this.own = new OwnAvatar(upload, () => this.changed());
    const picture = element('span', 'portrait', {}, icon(ICONS.upload));
    const content = [picture, element('span', 'avatar-title', {}, 'Your own')];
    this.ownTile = this.radios.add({ value: OWN, label: 'Your own VRM file', content });
    this.root = element('div', 'avatar-picker', {}, this.radios.root, this.own.root);
    this.acceptDrops();
    void this.fill();
  }

  /** The chosen avatar; empty while an own one is chosen but has not arrived. */
  get avatar(): string {
    const { value } = this.radios;
    if (value === OWN) return this.own.avatar;
    return value || this.wanted;
  }

  /** A file of one's own that is still to be sent. */
  get file(): File | undefined {
    return this.radios.value === OWN ? this.own.waiting : undefined;
  }

  /** Chooses without telling anyone. */
  choose(avatar: string): void {
    this.wanted = isOwn(avatar) ? '' : avatar;
    if (isOwn(avatar)) this.own.avatar = avatar;
    this.radios.choose(isOwn(avatar) ? OWN : avatar);
    this.own.show(isOwn(avatar));
  }

  /** Shows the portraits in this colour. */
  dye(colour: string): void {
    this.root.style.setProperty('--person', colour);
  }

  /** Whether there is an avatar; if not, it says what is missing. */
  complete(): boolean {
    if (this.avatar !== '' || this.file !== undefined) return true;
    this.own.ask();
    return false;
  }

  private async fill(): Promise<void> {
    const avatars = await shippedAvatars();
    for (const { name, title } of avatars) {
      const content = [portrait(name), element('span', 'avatar-title', {}, title)];
      this.radios.add({ value: name, label: title, content }, this.ownTile);
    }
    if (this.radios.value !== '') return;
    const known = avatars.some(({ name }) => name === this.wanted);
    this.wanted = known ? this.wanted : (avatars[0]?.name ?? FIGURE);
    this.radios.choose(this.wanted);
    this.changed();
  }

  private changed(): void {
    this.own.show(this.radios.value === OWN);
    if (this.avatar !== '') this.onChange(this.avatar);
  }

  private acceptDrops(): void {
    for (const kind of ['dragover', 'drop'] as const) {
      this.root.addEventListener(kind, (event) => event.preventDefault());
    }
    this.root.addEventListener('dragenter', () => this.root.classList.add('dropping'));
    this.root.addEventListener('dragleave', (event) => {
      const inside = event.relatedTarget instanceof Node && this.root.contains(event.relatedTarget);
      if (!inside) this.root.classList.remove('dropping');
    });
    this.root.addEventListener('drop', (event) => {
      this.root.classList.remove('dropping');
      this.radios.choose(OWN);
      this.changed();
      this.own.take(event.dataTransfer?.files[0]);
    });
  }
}

/** A picture of an avatar, with its garment dyed by a mask; an outline if there is none. */
export function portrait(name: string): HTMLElement {
  const frame = element('span', 'portrait', {}, icon(ICONS.person));
  const image = element('img', '', { alt: '', draggable: 'false' });
  image.addEventListener('load', () => {
    const dye = element('span', 'portrait-dye');
    dye.style.setProperty('mask-image', `url("${PORTRAITS}/${name}.mask.webp")`);
    frame.replaceChildren(image, dye);
  });
  image.src = `${PORTRAITS}/${name}.webp`;
  return frame;
}
