/** Owns what this browser can do: looking it up, and saying it in plain words. */

export type Permission = 'granted' | 'denied' | 'prompt' | 'unknown';

/** What was found out. */
export interface DeviceFacts {
  /** Whether the browser trusts the page's address: https, or this machine itself. */
  readonly secure: boolean;
  readonly webgl2: boolean;
  /** Whether a headset can be entered. */
  readonly headset: boolean;
  /** Whether the browser knows microphones at all; it hides them from untrusted addresses. */
  readonly microphone: boolean;
  readonly microphonePermission: Permission;
}

export type Verdict = 'yes' | 'no' | 'perhaps';

export interface DeviceCheck {
  readonly name: string;
  readonly verdict: Verdict;
  /** What it means, or what to do about it. */
  readonly words: string;
}

const INSECURE =
  'Open the session’s https:// address. Only there, and on localhost, do browsers give it to a page.';

export async function lookUpDevice(): Promise<DeviceFacts> {
  const [headset, microphonePermission] = await Promise.all([headsetThere(), permission()]);
  return {
    secure: isSecureContext,
    webgl2: drawsWebgl2(),
    headset,
    microphone: typeof navigator.mediaDevices?.getUserMedia === 'function',
    microphonePermission,
  };
}

/** The checks, in the order in which they matter. */
export function deviceChecks(facts: DeviceFacts): DeviceCheck[] {
  return [picture(facts), encrypted(facts), microphone(facts), headset(facts), hands(facts)];
}

/** Whether a headset can be entered from this page. */
export async function headsetThere(): Promise<boolean> {
  try {
    return (await navigator.xr?.isSessionSupported('immersive-vr')) ?? false;
  } catch {
    return false; // a policy may forbid even the question
  }
}

/** Whether one may look about by turning this device: it is held in the hands, and its browser may tell how. */
export async function turnableThere(): Promise<boolean> {
  try {
    const held = matchMedia('(pointer: coarse)').matches;
    return held && ((await navigator.xr?.isSessionSupported('inline')) ?? false);
  } catch {
    return false;
  }
}

function picture({ webgl2 }: DeviceFacts): DeviceCheck {
  return webgl2
    ? { name: '3D picture', verdict: 'yes', words: 'This browser draws in 3D.' }
    : {
        name: '3D picture',
        verdict: 'no',
        words: 'WebGL 2 is missing or switched off. Switch on hardware acceleration, or use a newer browser.',
      };
}

function encrypted({ secure }: DeviceFacts): DeviceCheck {
  return secure
    ? { name: 'Trusted address', verdict: 'yes', words: 'Microphone and headset are allowed here.' }
    : {
        name: 'Trusted address',
        verdict: 'no',
        words:
          'This page is not encrypted, so there is no microphone and no headset. Open the session’s https:// address.',
      };
}

function microphone({ secure, microphone: known, microphonePermission }: DeviceFacts): DeviceCheck {
  const name = 'Microphone';
  if (!secure) return { name, verdict: 'no', words: INSECURE };
  if (!known) return { name, verdict: 'no', words: 'This browser has no microphone for pages.' };
  switch (microphonePermission) {
    case 'granted':
      return { name, verdict: 'yes', words: 'You have allowed it.' };
    case 'denied':
      return {
        name,
        verdict: 'no',
        words: 'It is blocked for this page. Allow it in the browser’s site settings, beside the address.',
      };
    default:
      return { name, verdict: 'perhaps', words: 'The browser asks you when you switch it on.' };
  }
}

function headset({ secure, headset: there }: DeviceFacts): DeviceCheck {
  const name = 'Headset';
  if (there) return { name, verdict: 'yes', words: 'Enter VR takes you in.' };
  if (!secure) return { name, verdict: 'no', words: INSECURE };
  return {
    name,
    verdict: 'no',
    words: 'None is found here. In a headset, open this session’s link in its own browser.',
  };
}

function hands({ headset: there }: DeviceFacts): DeviceCheck {
  const name = 'Hands and fingers';
  return there
    ? { name, verdict: 'perhaps', words: 'Known once you are in VR: hands, or else controllers.' }
    : { name, verdict: 'perhaps', words: 'Without a headset you reach and point with mouse, keys or touch.' };
}

async function permission(): Promise<Permission> {
  try {
    const status = await navigator.permissions.query({ name: 'microphone' });
    return status.state;
  } catch {
    return 'unknown'; // Firefox before 132 knows no such name
  }
}

function drawsWebgl2(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}
