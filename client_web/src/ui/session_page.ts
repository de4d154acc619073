/** Owns the page of a session: puts picture, panel and words together and keeps them true. */

import { IMPOSSIBLE } from '../net/closing';
import { SESSION_NAME, socketAddress, type SessionLink } from '../net/link';
import { lengthsOf } from '../motion/bones';
import { CAPS, Provenance, type Person } from '../protocol/generated';
import { colourOf } from '../scene/palette';
import type { Appearance } from '../scene/figure_slot';
import { View } from '../scene/view';
import { Session } from '../session';
import { element } from './dom';
import { installHook } from './hook';
import { goTo, Notice } from './notice';
import { corner, Panel, type PersonRow } from './panel';
import { bytesPerSecond, counted, hertz, milliseconds } from './readings';
import { remember } from './remembered';

const TICK_MS = 250;
/** Bot 2 comes before Bot 10. */
const byName = new Intl.Collator(undefined, { numeric: true });
const NARROW_PX = 760;
const STALE = 'What you see is the last that arrived';
const HINT = 'Drag to look around, scroll to come closer, click a name to follow';
const KEYS = 'The session in 3D. Arrow keys turn the view, plus and minus zoom, Home shows everyone.';

export function showSessionPage(app: HTMLElement, link: SessionLink): void {
  new SessionPage(app, link).start();
}

class SessionPage {
  private readonly canvas = element('canvas', '', { tabindex: '0', role: 'application', 'aria-label': KEYS });
  private readonly labels = element('div', 'labels', { 'aria-hidden': 'true' });
  private readonly hint = element('p', 'hint', {}, HINT);
  private readonly panel: Panel;
  private readonly notice: Notice;
  private readonly session: Session;
  private view: View | undefined;
  private readonly looks = new Map<number, Appearance>();

  constructor(
    private readonly app: HTMLElement,
    private readonly link: SessionLink,
  ) {
    if (this.possible) remember('session', link.session);
    const address = socketAddress(location, link.session);
    this.session = new Session(
      { address, key: link.key },
      {
        changed: () => this.refresh(),
        welcomed: () => undefined,
        refused: () => undefined,
        signalled: () => undefined,
        voiceServers: () => undefined,
      },
    );
    this.notice = new Notice({
      again: () => this.session.connection.start(performance.now()),
      open: goTo,
    });
    this.panel = new Panel(link.session, {
      focus: (id) => this.focus(id),
      showAll: () => this.showAll(),
      share: () => undefined,
    });
  }

  start(): void {
    const stage = element('div', 'stage', {}, this.canvas, this.labels, corner(), this.hint);
    stage.append(this.panel.root, this.notice.root);
    this.app.replaceChildren(stage);
    this.draw();
    this.listen();
    if (this.possible) this.session.watch(performance.now());
    else this.session.connection.refuse(IMPOSSIBLE);
    setInterval(() => this.tick(), TICK_MS);
    installHook({ session: this.session, drawn: () => this.view?.drawn() ?? [] });
  }

  /** Whether there can be a session of this name. */
  private get possible(): boolean {
    return SESSION_NAME.test(this.link.session);
  }

  private draw(): void {
    try {
      this.view = new View(this.canvas, this.labels, CAPS.PEOPLE_PER_SESSION, {
        playback: this.session.playback,
        pose: (id, pose) => this.session.playback.sample(id, pose),
        sense: () => undefined,
        look: (id) => this.looks.get(id),
        label: (id) => this.labelOf(id),
      });
      this.view.run();
    } catch {
      this.hint.textContent = 'This browser can’t draw in 3D: WebGL is missing or switched off.';
    }
  }

  private listen(): void {
    const wake = () => {
      if (!document.hidden) this.session.connection.wake(performance.now());
    };
    document.addEventListener('visibilitychange', wake);
    addEventListener('online', wake);
    addEventListener('pageshow', wake);
    addEventListener('hashchange', () => location.reload()); // another key
    this.view?.viewpoint.controls.addEventListener('start', () => this.hint.classList.add('done'));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.focus(undefined);
      if (event.key === 'Home' && event.target === this.canvas) this.showAll();
    });
    new ResizeObserver(() => this.cover()).observe(this.panel.root);
    new ResizeObserver(() => this.cover()).observe(this.canvas);
  }

  /** Keeps people beside the panel, or above it on a narrow screen. */
  private cover(): void {
    const { width } = this.canvas.getBoundingClientRect();
    const panel = this.panel.root.getBoundingClientRect();
    if (width > NARROW_PX) this.view?.cover({ right: width - panel.left, bottom: 0 });
    else this.view?.cover({ right: 0, bottom: Math.min(panel.height, 0.5 * innerHeight) });
  }

  private focus(id: number | undefined): void {
    if (id !== undefined) this.hint.classList.add('done');
    this.view?.focus(id);
    this.panel.showFocus(id);
  }

  private showAll(): void {
    this.view?.showAll();
    this.panel.showFocus(undefined);
  }

  private tick(): void {
    const now = performance.now();
    this.session.connection.tick(now);
    this.notice.tick(now);
    this.showReadings(now);
    this.showPeople();
  }

  /** The phase, the people or the statistics changed. */
  private refresh(): void {
    this.notice.show(this.session.phase);
    this.showState();
    this.showPeople();
  }

  private showState(): void {
    const { phase, roster, statistics } = this.session;
    const { session } = this.link;
    if (phase.kind === 'live') {
      const others = Math.max((statistics?.spectators ?? 1) - 1, 0);
      const watching = others === 0 ? 'you are watching' : `you and ${counted(others, 'other', 'others')} watch`;
      this.panel.showState('live', 'Live', `${counted(roster.size, 'person', 'people')}, ${watching}`);
      document.title = `${session} – Armspan`;
      return;
    }
    const again = phase.kind === 'connecting' && !phase.again;
    const text = again ? 'Connecting' : 'Disconnected';
    this.panel.showState(
      phase.kind === 'ended' ? 'off' : 'waiting',
      text,
      again ? 'Looking for the server…' : roster.size > 0 ? STALE : 'Nothing has arrived yet',
    );
    document.title = `${text}: ${session} – Armspan`;
  }

  private showReadings(nowMs: number): void {
    const { statistics, welcome, playback, meter, phase } = this.session;
    const live = phase.kind === 'live';
    this.panel.showReadings({
      tickRate: live ? hertz(statistics?.tickRateHz ?? welcome?.tickRateHz ?? Number.NaN) : '–',
      roundTrip: live ? milliseconds(playback.clock.roundTripUs) : '–',
      delay: live && Number.isFinite(playback.timeUs) ? milliseconds(playback.delayUs) : '–',
      bytes: live ? bytesPerSecond(meter.bytesPerSecond(nowMs)) : '–',
    });
  }

  private showPeople(): void {
    const { roster, phase } = this.session;
    const live = phase.kind === 'live';
    const people = [...roster.all].sort((a, b) => byName.compare(a.name, b.name) || a.id - b.id);
    const rows = people.map((person) => this.rowOf(person));
    this.panel.showPeople(rows, live ? 'Nobody is here yet. People appear as they join.' : '');
    this.looks.clear();
    for (const person of roster.all) this.looks.set(person.id, this.lookOf(person, live));
  }

  private rowOf({ id, name, connected }: Person): PersonRow {
    const provenance = this.session.playback.provenance(id);
    return {
      id,
      name,
      colour: colourOf(id),
      away: !connected,
      state: connected ? trackingState(provenance) : 'away',
    };
  }

  private lookOf({ id, lengths, connected }: Person, live: boolean): Appearance {
    return {
      colour: colourOf(id),
      lengths: lengthsOf(lengths),
      connected: connected && live,
      provenance: this.session.playback.provenance(id) ?? [0, 0, 0],
    };
  }

  private labelOf(id: number): { name: string; colour: string } | undefined {
    const person = this.session.roster.person(id);
    return person && { name: person.name, colour: colourOf(id) };
  }
}

/** What is missing of a body, in words; empty when head and hands are followed. */
export function trackingState(provenance: ArrayLike<number> | undefined): string {
  if (provenance === undefined) return 'not tracked yet';
  const [head, left, right] = [0, 1, 2].map((sensor) => provenance[sensor] === Provenance.LOST);
  if (head) return 'head lost';
  if (left && right) return 'hands lost';
  if (left) return 'left hand lost';
  return right ? 'right hand lost' : '';
}
