/** Owns how a link becomes a picture that a camera reads. */

import { encode } from 'uqr';

const SPACE = 'http://www.w3.org/2000/svg';
/** Modules of light around it, as ISO/IEC 18004 asks. */
const QUIET = 4;

/** A QR code of this text: dark on light in every theme, or cameras would not read it. */
export function qrCode(text: string, label: string): SVGSVGElement {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET });
  const svg = document.createElementNS(SPACE, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.classList.add('qr');
  svg.append(shape('qr-light', `M0 0h${size}v${size}h-${size}z`), shape('qr-dark', darkPath(data)));
  return svg;
}

/** Runs of dark modules, row by row. */
export function darkPath(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  rows.forEach((row, y) => {
    let start = 0;
    while (start < row.length) {
      const dark = row[start] === true;
      let end = start + 1;
      while (end < row.length && (row[end] === true) === dark) end += 1;
      if (dark) path += `M${start} ${y}h${end - start}v1H${start}z`;
      start = end;
    }
  });
  return path;
}

function shape(className: string, path: string): SVGPathElement {
  const result = document.createElementNS(SPACE, 'path');
  result.setAttribute('d', path);
  result.setAttribute('class', className);
  return result;
}
