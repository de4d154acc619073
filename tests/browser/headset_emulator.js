// Takes the place of `navigator.xr` before a page's own scripts run, after the emulator (iwer) itself;
// and notes in each of the headset's frames, by itself, where everything truly was.
(() => {
  const device = new IWER.XRDevice(IWER.metaQuest3, { stereoEnabled: window.STEREO === true });
  device.installRuntime({ polyfillLayers: false, forceInstall: true });
  const KEPT = 900;
  const truth = [];
  const spaces = new WeakMap();

  const numbers = ({ transform: { position: p, orientation: q } }) => [
    p.x, p.y, p.z, q.x, q.y, q.z, q.w,
  ];

  const handOf = (frame, { hand, gripSpace }, space) => {
    if (!hand) return { grip: numbers(frame.getPose(gripSpace, space)) };
    const joint = (name) => numbers(frame.getJointPose(hand.get(name), space)).slice(0, 3);
    const knuckles = ['middle', 'index', 'pinky'].map((name) => `${name}-finger-phalanx-proximal`);
    return { joints: ['wrist', ...knuckles].map(joint) };
  };

  const note = (session, frame) => {
    const space = spaces.get(session);
    if (space === undefined) return;
    const atMs = performance.timeOrigin + performance.now();
    const row = { atMs, head: numbers(frame.getViewerPose(space)) };
    for (const source of session.inputSources) {
      row[source.handedness] = handOf(frame, source, space);
    }
    truth.push(row);
    if (truth.length > KEPT) truth.shift();
  };

  const ask = XRSession.prototype.requestAnimationFrame;
  XRSession.prototype.requestAnimationFrame = function (callback) {
    if (!spaces.has(this)) {
      spaces.set(this, undefined);
      void this.requestReferenceSpace('local-floor').then((space) => spaces.set(this, space));
    }
    return ask.call(this, (time, frame) => {
      note(this, frame);
      callback(time, frame);
    });
  };

  // Swings a bare hand about where it is, slowly: between two frames its way is nearly straight.
  const swing = (side, seconds) => {
    const { position } = device.hands[side];
    const [x, y, z] = [position.x, position.y, position.z];
    const start = performance.now();
    const step = () => {
      const passed = (performance.now() - start) / 1000;
      if (passed > seconds) return;
      position.set(x + 0.13 * Math.sin(1.5 * passed), y + 0.05 * Math.sin(passed), z);
      requestAnimationFrame(step);
    };
    step();
  };

  window.emulated = { device, truth, swing };
})();
