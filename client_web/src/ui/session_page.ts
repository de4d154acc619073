/** Owns the page of a session: puts picture, card, panel and words together and keeps them true. */

import { sessionFiles } from '../avatars/files';
import { hashOf, Wardrobe } from '../avatars/wardrobe';
import { FULL, IMPOSSIBLE } from '../net/closing';
import { SESSION_NAME, socketAddress, type SessionLink } from '../net/link';
import { OwnPart } from '../own_part';
import { Participant } from '../participant';
import { CAPS } from '../protocol/generated';
import { View } from '../scene/view';
import { Session } from '../session';
import { MuteButton, ownVoiceOf } from '../voice/mute_button';
import { Talk } from '../voice/talk';
import type { Choice } from './choice';
import { movesLess, rememberedComfort, type Comfort } from './comfort';
import { element } from './dom';
import { HeadsetNews } from './headset_news';
import { installHook } from './hook';
import { Hud, IDLE } from './hud';
import { goTo, Notice } from './notice';
import { OwnIdentity } from './own_identity';
import { corner } from './panel';
import { colourOfPerson, People } from './people';
import { remember } from './remembered';
import { readingsOf, stateWords } from './session_state';
import { ignoreStrayFiles } from './stray_files';
import { TouchControls } from './touch_controls';

const TICK_MS = 250;
const HINT = 'Drag to look around, scroll to come closer, click a name to follow';
const KEYS =
  'The session in 3D. While watching, arrow keys turn the view, plus and minus zoom, Home shows everyone. ' +
  'While taking part, Help has the keys.';
const NO_PICTURE = 'This browser can’t draw in 3D: WebGL is missing or switched off.';

export function showSessionPage(app: HTMLElement, link: SessionLink): void {
  new SessionPage(app, link).start();
}

class SessionPage {
  private readonly canvas = element('canvas', '', { tabindex: '0', role: 'application', 'aria-label': KEYS });
  private readonly labels = element('div', 'labels', { 'aria-hidden': 'true' });
  private readonly hint = element('p', 'hint', { hidden: true }, HINT);
  private readonly session: Session;
  private readonly participant: Participant;
  private readonly talk: Talk;
  private readonly people: People;
  private readonly hud: Hud;
  private readonly notice: Notice;
  private readonly news = new HeadsetNews(() => this.part?.words);
  private view: View | undefined;
  private part: OwnPart | undefined;
  private touch: TouchControls | undefined;
  private comfort = rememberedComfort();
  private readonly identity: OwnIdentity;
  /** What else was asked for on the card; done as soon as one is in. */
  private pending: Choice | undefined;

  constructor(
    private readonly app: HTMLElement,
    private readonly link: SessionLink,
  ) {
    if (this.possible) remember('session', link.session);
    this.session = this.openSession();
    this.participant = new Participant(this.session);
    this.identity = new OwnIdentity(this.session, link.session, (lengths) => this.part?.measure(lengths));
    this.talk = new Talk({
      send: (to, kind, text) => this.session.say({ type: 'Signal', to, kind, text }),
      changeVoice: (voice) => this.session.say({ type: 'ChangeVoice', voice }),
    });
    this.people = new People(
      this.session,
      this.participant,
      () => this.part?.inside ?? false,
      (id) => this.talk.speaking(id),
    );
    this.hud = this.openHud();
    this.hud.useTalk(this.talk);
    this.hud.toasts.onSay((text) => this.news.say(text));
    this.talk.onChange(() => this.part?.showVoice(ownVoiceOf(this.talk)));
    this.notice = new Notice({
      again: () => this.session.connection.start(performance.now()),
      open: goTo,
    });
  }

  start(): void {
    const stage = element('div', 'stage', {}, this.canvas, this.labels, corner(), this.hint);
    stage.append(...this.hud.parts, this.notice.root);
    this.app.replaceChildren(stage);
    this.draw(stage);
    this.listen();
    this.hud.meet();
    if (this.possible) this.session.watch(performance.now());
    else this.session.connection.refuse(IMPOSSIBLE);
    setInterval(() => this.tick(), TICK_MS);
    const { session, participant, talk } = this;
    installHook({ session, participant, talk, view: () => this.view, part: () => this.part });
  }

  /** Whether there can be a session of this name. */
  private get possible(): boolean {
    return SESSION_NAME.test(this.link.session);
  }

  private openSession(): Session {
    const address = socketAddress(location, this.link.session);
    return new Session(
      { address, key: this.link.key },
      {
        changed: () => this.refresh(),
        welcomed: () => this.welcomed(),
        refused: (what, text) => {
          this.talk.refused(what, text);
          this.hud.toasts.say(text);
        },
        signalled: (sender, kind, text) => this.talk.signalled(sender, kind, text),
        voiceServers: (message) => this.talk.serversKnown(message),
      },
    );
  }

  private openHud(): Hud {
    const { session } = this.link;
    return new Hud({
      session,
      canvas: this.canvas,
      actions: {
        join: (choice) => this.join(choice),
        watch: () => this.watch(),
        leave: () => this.leave(),
        reach: () => this.part?.desktop.intent.toggleReach(),
        point: () => this.part?.desktop.intent.togglePoint(),
        view: (ownEyes) => this.part?.seeOneself(!ownEyes),
        headset: () => this.enterHeadset(),
        handheld: (on) => this.attempt(this.part?.lookByHand(on)),
        focus: (id) => this.focus(id),
        showAll: () => this.showAll(),
        appearing: () => this.identity.appearing,
        appear: (appearing) => this.identity.appear(appearing),
        comfort: (comfort) => this.takeComfort(comfort),
        upload: (file, progress) => this.identity.upload(file, progress),
      },
    });
  }

  private draw(stage: HTMLElement): void {
    const wardrobe = new Wardrobe(sessionFiles(this.link.session), (avatar, why) => this.missAvatar(avatar, why));
    try {
      this.view = new View(this.canvas, this.labels, CAPS.PEOPLE_PER_SESSION, {
        playback: this.session.playback,
        wardrobe,
        pose: (id, pose) => this.participant.pose(id, pose),
        look: (id) => this.people.look(id),
        label: (id) => this.people.label(id),
        sense: (nowMs, passedS) => this.part?.sense(nowMs, passedS),
        placed: (passedS) => this.placed(passedS),
      });
    } catch {
      this.hint.textContent = NO_PICTURE;
      this.hint.classList.add('lack');
      this.hint.hidden = false;
      return;
    }
    this.part = this.openPart(this.view);
    this.touch = new TouchControls(this.part.desktop.intent);
    stage.append(this.touch.root);
    this.view.viewpoint.still = () => movesLess(this.comfort);
    this.takeComfort(this.comfort);
    this.view.run();
  }

  private openPart(view: View): OwnPart {
    const { session, participant, canvas, people, talk } = this;
    const muteButton = new MuteButton(talk, (text) => this.news.say(text));
    return new OwnPart({
      session,
      participant,
      view,
      canvas,
      still: () => movesLess(this.comfort),
      colour: (id) => {
        const person = session.roster.person(id);
        return person && colourOfPerson(person);
      },
      label: (id) => people.label(id),
      events: {
        changed: () => this.hud.showDoing(this.part?.doing ?? IDLE),
        measured: (eyeHeightM) => this.identity.measured(eyeHeightM),
        voice: (pressed) => muteButton.press(pressed),
      },
    });
  }

  private listen(): void {
    const wake = () => {
      if (!document.hidden) this.session.connection.wake(performance.now());
    };
    document.addEventListener('visibilitychange', wake);
    addEventListener('online', wake);
    addEventListener('pageshow', wake);
    addEventListener('pagehide', ({ persisted }) => {
      if (!persisted) this.session.leave(); // nobody is to see a body that nobody moves any more
    });
    addEventListener('hashchange', () => location.reload()); // another key
    addEventListener('pointerdown', () => this.talk.wake());
    ignoreStrayFiles(window);
    this.view?.viewpoint.controls.addEventListener('start', () => this.hint.classList.add('done'));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.focus(undefined);
      if (event.key === 'Home' && event.target === this.canvas) this.showAll();
    });
    for (const part of [this.canvas, ...this.hud.parts]) new ResizeObserver(() => this.cover()).observe(part);
  }

  /** Says why somebody is drawn otherwise than they chose; and who, where it is their own file. */
  private missAvatar(avatar: string, why: string): void {
    const wearer = this.session.roster.all.find(({ look }) => look.avatar === avatar);
    const named = hashOf(avatar) !== undefined && wearer !== undefined;
    this.hud.toasts.say(named ? `${wearer.name} appears as a plain figure. ${why}` : why);
  }

  // What a person does

  private join(choice: Choice): void {
    this.pending = choice;
    this.identity.join(choice);
    if (choice.vr) this.enterHeadset(); // now, in the click: browsers want that
  }

  /** Also in place of joining, while that is still on its way. */
  private watch(): void {
    if (this.session.takesPart) this.giveUp();
    this.hud.watching();
    this.hint.hidden = false;
  }

  private leave(): void {
    const was = this.identity.appearing;
    this.giveUp();
    this.hud.meet('You left the session. You still see it.', was);
  }

  /** Is nobody's body any more. */
  private giveUp(): void {
    this.talk.leave();
    this.part?.end();
    this.touch?.show(false);
    this.identity.forget();
    this.pending = undefined;
    this.session.watch(performance.now());
  }

  private enterHeadset(): void {
    this.attempt(this.part?.enterHeadset());
  }

  /** Says in words why it did not work. */
  private attempt(what: Promise<void> | undefined): void {
    what?.catch((error: unknown) => {
      this.hud.toasts.say(error instanceof Error ? error.message : 'The browser does not allow it.');
    });
  }

  private takeComfort(comfort: Comfort): void {
    this.comfort = comfort;
    if (this.part !== undefined) this.part.headset.travel.snap.stepRad = (comfort.snapTurnDeg * Math.PI) / 180;
  }

  private focus(id: number | undefined): void {
    if (id !== undefined) this.hint.classList.add('done');
    if (this.participant.present) {
      if (id !== undefined) this.part?.face(id);
      return;
    }
    this.view?.focus(id);
    this.hud.panel.showFocus(id);
  }

  private showAll(): void {
    this.view?.showAll();
    this.hud.panel.showFocus(undefined);
  }

  /** Keeps people beside what lies over the picture. */
  private cover(): void {
    const covered = this.hud.covered();
    this.view?.cover(covered);
    this.part?.cover(covered);
  }

  // What the session does

  private welcomed(): void {
    const { session, talk, pending } = this;
    this.participant.welcomed();
    talk.welcomed(session.ownId, session.welcome?.revision ?? 0, session.roster.all);
    if (session.ownId === 0) return;
    void this.identity.restore();
    if (pending === undefined) return;
    this.pending = undefined;
    this.part?.begin();
    this.touch?.show(true);
    this.hud.inside();
    this.hint.classList.add('done');
    if (pending.voice) void talk.enter();
    if (pending.file !== undefined) void this.hud.bring(pending.file);
  }

  private refresh(): void {
    const { session, hud } = this;
    const { phase, roster, welcome } = session;
    if (phase.kind === 'ended' && phase.why === FULL && session.takesPart) {
      this.giveUp();
      hud.card.setBusy(false);
      hud.meet('The session is full. You can watch, and join once someone has left.');
      return;
    }
    this.participant.refresh();
    if (phase.kind === 'live') this.talk.update(roster.all);
    else this.talk.lost();
    this.notice.show(phase);
    this.news.show(phase);
    hud.showPhase(phase.kind);
    if (phase.kind === 'ended' && hud.card.shown) hud.card.setBusy(false);
    if (phase.kind === 'ended') void this.part?.headset.leave(); // the reason is on the page
    const words = stateWords(session, this.link.session);
    hud.panel.showState(words.light, words.text, words.summary);
    document.title = words.title;
    this.showPeople();
    hud.showPresence({
      live: phase.kind === 'live',
      people: roster.all.map((person) => ({ name: person.name, colour: colourOfPerson(person) })),
      maxPeople: welcome?.maxPeople,
    });
  }

  private tick(): void {
    const now = performance.now();
    this.session.connection.tick(now);
    this.notice.tick(now);
    this.hud.panel.showReadings(readingsOf(this.session, now));
    this.showPeople();
  }

  private showPeople(): void {
    const live = this.session.phase.kind === 'live';
    this.people.refresh();
    this.hud.panel.showPeople(this.people.rows(), live ? 'Nobody is here yet. People appear as they join.' : '');
  }

  /** Last in every frame: lasers from the drawn hands, voices from the drawn heads. */
  private placed(passedS: number): void {
    this.part?.placed(passedS);
    if (this.session.ownId !== 0) this.talk.frame(this.participant.sensors.poses, this.headOf);
  }

  private readonly headOf = (id: number, out: Float64Array): boolean =>
    this.view?.headOf(id, out) ?? false;
}
