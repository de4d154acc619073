import { Box3, Triangle, Vector3, type BufferGeometry } from 'three';
import { describe, expect, it } from 'vitest';
import { FIGURE, PART_NAMES } from '../../src/scene/figure';

function volume(geometry: BufferGeometry): number {
  const position = geometry.getAttribute('position');
  const index = geometry.getIndex();
  const corners = [new Vector3(), new Vector3(), new Vector3()] as const;
  let sum = 0;
  for (let first = 0; first < (index?.count ?? 0); first += 3) {
    corners.forEach((corner, at) => {
      corner.fromBufferAttribute(position, index?.getX(first + at) ?? 0);
    });
    sum += corners[0].dot(new Vector3().crossVectors(corners[1], corners[2])) / 6;
  }
  return sum;
}

/** Share of triangles whose vertex normals point to the side that the triangle faces. */
function agreement(geometry: BufferGeometry): number {
  const position = geometry.getAttribute('position');
  const normal = geometry.getAttribute('normal');
  const index = geometry.getIndex();
  const triangle = new Triangle();
  let agreeing = 0;
  let counted = 0;
  for (let first = 0; first < (index?.count ?? 0); first += 3) {
    const [a, b, c] = [0, 1, 2].map((at) => index?.getX(first + at) ?? 0) as [number, number, number];
    triangle.setFromAttributeAndIndices(position, a, b, c);
    if (triangle.getArea() < 1e-9) continue;
    counted += 1;
    const face = triangle.getNormal(new Vector3());
    if (face.dot(new Vector3().fromBufferAttribute(normal, a)) > 0) agreeing += 1;
  }
  return agreeing / counted;
}

describe('a figure’s parts', () => {
  it('are closed skins that face outwards, but for the visor, which lies on the head', () => {
    for (const name of PART_NAMES) {
      const geometry = FIGURE[name].geometry();
      expect(agreement(geometry), name).toBeGreaterThan(0.99);
      if (name !== 'visor') expect(volume(geometry), name).toBeGreaterThan(1e-7);
    }
  });

  it('have no more triangles than a phone draws for a whole session', () => {
    const triangles = PART_NAMES.map((name) => (FIGURE[name].geometry().getIndex()?.count ?? 0) / 3);
    expect(triangles.reduce((sum, each) => sum + each, 0)).toBeLessThan(7_000);
  });

  it('are mirror images of each other, left and right', () => {
    const left = new Box3().setFromBufferAttribute(FIGURE.leftHand.geometry().getAttribute('position') as never);
    const right = new Box3().setFromBufferAttribute(FIGURE.rightHand.geometry().getAttribute('position') as never);
    expect(left.min.x).toBeCloseTo(-right.max.x, 6);
    expect(left.max.x).toBeCloseTo(-right.min.x, 6);
  });

  it('have the thumb where WebXR’s hand frame has it: right −X, fingers along −Z, back up', () => {
    const box = new Box3().setFromBufferAttribute(FIGURE.rightHand.geometry().getAttribute('position') as never);
    expect(-box.min.x).toBeGreaterThan(box.max.x + 0.02);
    expect(-box.min.z).toBeGreaterThan(box.max.z);
    expect(-box.min.y).toBeGreaterThan(box.max.y); // the fingers curl towards the palm
  });
});
