/** Owns how page elements are made: by tag, class, attributes and children; text is never markup. */

type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const result = document.createElement(tag);
  if (className !== '') result.className = className;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    result.setAttribute(name, value === true ? '' : value);
  }
  result.append(...children);
  return result;
}

/** An icon of strokes on a 24-pixel square; decoration only. */
export function icon(path: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('icon');
  const stroke = document.createElementNS(space, 'path');
  stroke.setAttribute('d', path);
  svg.append(stroke);
  return svg;
}

/** Sets text only where it differs: the browser lays out again for every write. */
export function write(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** The mark and the name. */
export function brand(): HTMLElement {
  const mark = element('img', 'brand-mark', { src: '/favicon.svg', alt: '', width: '26', height: '26' });
  return element('a', 'brand', { href: '/', title: 'To the start page' }, mark, 'Armspan');
}
