/**
 * Owns everything that lies over the picture of a session: the card before one is in, panel and
 * toolbar after, dialogs and passing words; and where the focus goes from one to the other.
 */

import type { Phase } from '../net/connection';
import type { Covered } from '../scene/viewpoint';
import type { Appearing, Choice } from './choice';
import { rememberedComfort, wearMotion, type Comfort } from './comfort';
import { coveredBy } from './cover';
import { headsetThere, turnableThere } from './device';
import { HelpDialog } from './help_dialog';
import { JoinCard } from './join_card';
import type { Upload } from './own_avatar';
import { Panel } from './panel';
import type { Presence } from './present';
import { SettingsDialog } from './settings_dialog';
import { ShareDialog } from './share_dialog';
import { Toasts } from './toasts';
import { Toolbar, type ToolbarState } from './toolbar';
import { VoiceTool } from './voice_tool';
import type { Talk } from '../voice/talk';

export interface HudActions {
  readonly join: (choice: Choice) => void;
  /** Watch without the card in the way. */
  readonly watch: () => void;
  /** Give up one's part; `Hud.meet` shows the card again. */
  readonly leave: () => void;
  readonly reach: (on: boolean) => void;
  readonly point: (on: boolean) => void;
  readonly view: (ownEyes: boolean) => void;
  readonly headset: () => void;
  /** Look by turning the device, or no longer. */
  readonly handheld: (on: boolean) => void;
  readonly focus: (id: number | undefined) => void;
  readonly showAll: () => void;
  /** How the person appears now; undefined while watching. */
  readonly appearing: () => Appearing | undefined;
  readonly appear: (appearing: Appearing) => void;
  readonly comfort: (comfort: Comfort) => void;
  readonly upload: Upload;
}

export interface HudOptions {
  readonly session: string;
  readonly canvas: HTMLElement;
  readonly actions: HudActions;
}

type Place = 'card' | 'watching' | 'inside';
/** What a toolbar shows of the hands and the view. */
export type Doing = Pick<ToolbarState, 'reaching' | 'pointing' | 'ownEyes' | 'handheld'>;
export const IDLE: Doing = { reaching: false, pointing: false, ownEyes: true, handheld: false };

export class Hud {
  readonly card: JoinCard;
  readonly panel: Panel;
  readonly toolbar: Toolbar;
  readonly toasts = new Toasts();
  private readonly share = new ShareDialog();
  private readonly help = new HelpDialog();
  private readonly settings: SettingsDialog;
  private place: Place = 'card';
  private headset = false;
  private turnable = false;
  private doing = IDLE;

  constructor(private readonly options: HudOptions) {
    const { session, actions } = options;
    wearMotion(rememberedComfort());
    this.card = new JoinCard(session, actions);
    this.settings = new SettingsDialog(actions);
    this.panel = new Panel(session, {
      focus: actions.focus,
      showAll: actions.showAll,
      share: () => this.share.open(),
    });
    this.toolbar = new Toolbar({
      ...actions,
      share: () => this.share.open(),
      help: () => this.help.open(this.place === 'inside'),
      settings: () => this.settings.open(this.place === 'inside' ? actions.appearing() : undefined),
      join: () => this.meet(),
    });
    void this.lookForHeadset();
    navigator.xr?.addEventListener('devicechange', () => void this.lookForHeadset());
  }

  /** What goes over the picture, in the order in which the Tab key visits it. */
  get parts(): readonly HTMLElement[] {
    return [this.card.root, this.toolbar.root, this.panel.root, this.toasts.root];
  }

  /** The card is there, with a word about how one came to it. */
  meet(word = '', was?: Appearing): void {
    this.enter('card');
    this.card.show(word, was);
  }

  /** One watches, with nothing in the way. */
  watching(): void {
    const moved = this.place !== 'watching';
    this.enter('watching');
    if (moved) this.options.canvas.focus();
  }

  /** One takes part. */
  inside(): void {
    const moved = this.place !== 'inside';
    this.enter('inside');
    if (moved) this.options.canvas.focus(); // so that keys move the body at once
  }

  /** What hands and view do, however that was begun. */
  showDoing(doing: Doing): void {
    this.doing = doing;
    this.refresh();
  }

  /** A card makes no sense where the connection has ended for good: the notice has the word then. */
  showPhase(phase: Phase['kind']): void {
    if (this.place === 'card') this.card.root.hidden = phase === 'ended';
  }

  showPresence(presence: Presence): void {
    this.card.setState(presence);
  }

  covered(): Covered {
    const { canvas } = this.options;
    const [panel, toolbar, card] = [this.panel.root, this.toolbar.root, this.card.root];
    return coveredBy({ canvas, panel, toolbar, card });
  }

  /** Gives the talk its controls. */
  useTalk(talk: Talk): void {
    this.toolbar.voiceSlot.replaceChildren(new VoiceTool(talk).root);
    talk.onTrouble(({ sentence, advice }) => this.toasts.say(`${sentence} ${advice}`.trim()));
  }

  /** Sends an own VRM that waited until one was in, and wears it. */
  async bring(file: File): Promise<void> {
    const { upload, appearing, appear } = this.options.actions;
    this.toasts.say(`“${file.name}” is on its way to the others.`);
    try {
      const avatar = await upload(file, () => undefined);
      const before = appearing();
      if (before !== undefined) appear({ ...before, avatar });
    } catch (error) {
      this.toasts.say(error instanceof Error ? error.message : 'The file could not be sent.');
    }
  }

  private enter(place: Place): void {
    this.place = place;
    if (place !== 'card') this.card.hide();
    this.panel.root.hidden = place === 'card';
    this.panel.offerOverview(place !== 'inside');
    this.toolbar.root.hidden = place === 'card';
    this.refresh();
  }

  private refresh(): void {
    const { doing, headset, turnable } = this;
    this.toolbar.setState({ ...doing, takesPart: this.place === 'inside', headset, turnable });
  }

  private async lookForHeadset(): Promise<void> {
    [this.headset, this.turnable] = await Promise.all([headsetThere(), turnableThere()]);
    this.refresh();
  }
}
