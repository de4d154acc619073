/** Owns the shipped models for tests: the very files that the page loads. */

import { readFileSync } from 'node:fs';
import { readList, type Shipped } from '../../src/avatars/wardrobe';
import { readModel, type Model } from '../../src/avatars/model';

const FOLDER = new URL('../../public/avatars/', import.meta.url);

export function shippedFile(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, FOLDER)));
}

export const SHIPPED_JSON = JSON.parse(new TextDecoder().decode(shippedFile('avatars.json'))) as unknown;

export const SHIPPED: readonly Shipped[] = readList(SHIPPED_JSON);

const models = new Map<string, Model>();

export function shippedModel(name: string): Model {
  let model = models.get(name);
  if (model === undefined) {
    const files = SHIPPED.find((each) => each.name === name)?.files ?? [];
    model = readModel(files.map(shippedFile));
    models.set(name, model);
  }
  return model;
}
