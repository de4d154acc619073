/* Looks at a page as someone with another way of seeing or pointing would; evaluated by tests. */
() => {
  const CONTROLS = 'button, input, select, textarea, a[href], summary, canvas, [tabindex="0"]';

  const visible = (element) => element.checkVisibility({ opacityProperty: false, visibilityProperty: true });
  const inert = (element) => {
    const modal = [...document.querySelectorAll('dialog[open]')].at(-1);
    return modal !== undefined && !modal.contains(element);
  };
  const controls = () => [...document.querySelectorAll(CONTROLS)].filter((each) => visible(each) && !inert(each) && !each.closest('[aria-hidden="true"]'));

  const nameOf = (element) => {
    const labelled = (element.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
    const from = labelled.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(' ');
    return (element.getAttribute('aria-label') || from || labels || element.textContent || element.alt || '').trim();
  };

  const nameless = () => controls().filter((each) => nameOf(each) === '').map((each) => each.outerHTML.slice(0, 200));

  const rgba = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return text.startsWith('color(srgb') ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const over = (upper, lower) => upper.slice(0, 3).map((value, at) => upper[3] * value + (1 - upper[3]) * lower[at]);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  /** What lies under an element's text, over this colour of the picture. */
  const ground = (element, picture) => {
    const layers = [];
    for (let each = element; each !== null; each = each.parentElement) {
      layers.push(rgba(getComputedStyle(each).backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((lower, upper) => over(upper, lower), picture);
  };

  const textual = () => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.textContent.trim() !== '' && visible(element) && !inert(element)) found.add(element);
    }
    return [...found].filter((each) => {
      const style = getComputedStyle(each);
      return parseFloat(style.fontSize) > 0 && each.closest('.unseen, .labels, noscript') === null;
    });
  };

  /** Texts with the worst contrast over any of these colours of the picture behind. */
  const contrasts = (pictures) =>
    textual().map((element) => {
      const colour = rgba(getComputedStyle(element).color);
      const worst = Math.min(...pictures.map((picture) => {
        const under = ground(element, picture);
        return contrast(over(colour, under), under);
      }));
      return { text: element.textContent.trim().slice(0, 60), className: element.className, ratio: worst };
    });

  /** Where a finger or a click would hit: a control's own box, and its label's if that covers it. */
  const targets = () =>
    controls()
      .filter((each) => each.tagName !== 'CANVAS')
      .map((each) => {
        const box = (each.closest('label') ?? each).getBoundingClientRect();
        return { name: nameOf(each).slice(0, 40), width: box.width, height: box.height };
      });

  /** Controls in the middle of which something else lies, unless one can scroll to them. */
  const covered = () =>
    controls()
      .filter((each) => each.tagName !== 'CANVAS')
      .filter((each) => {
        each.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const box = each.getBoundingClientRect();
        const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const label = each.closest('label');
        return !(hit !== null && (each.contains(hit) || label?.contains(hit)));
      })
      .map((each) => each.outerHTML.slice(0, 160));

  const twice = () => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return ids.filter((id, at) => ids.indexOf(id) !== at);
  };

  return { nameless, contrasts, targets, covered, twice };
}
