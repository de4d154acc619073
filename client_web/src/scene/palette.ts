/** Owns the colours: one for each person, the same for every viewer, and those of the surroundings. */

/** Even in lightness, so that nobody stands out by chance; neighbours in the list differ most. */
const PEOPLE = [
  '#6093de',
  '#d3735f',
  '#48a870',
  '#bd74b6',
  '#d59b42',
  '#39abab',
  '#d26f83',
  '#9483d8',
  '#9bb455',
  '#4ea4ca',
  '#ce7947',
  '#ac7ac9',
] as const;

/** The colour of the person with this id (1 or more). */
export function colourOf(id: number): string {
  return PEOPLE[(Math.max(id, 1) - 1) % PEOPLE.length] ?? PEOPLE[0];
}

export interface Theme {
  readonly zenith: string;
  readonly horizon: string;
  readonly ground: string;
  readonly line: string;
  readonly lineStrength: number;
  readonly shadowStrength: number;
  readonly skin: string;
  readonly visor: string;
  readonly cloth: string;
  readonly skyLight: string;
  readonly groundLight: string;
  readonly ambient: number;
  readonly sun: number;
}

export const LIGHT: Theme = {
  zenith: '#c9d6e4',
  horizon: '#f3f1ed',
  ground: '#d9d9d8',
  line: '#2c3440',
  lineStrength: 0.13,
  shadowStrength: 0.2,
  skin: '#eeeae4',
  visor: '#1b2028',
  cloth: '#3d4552',
  skyLight: '#eaf2ff',
  groundLight: '#b9ada1',
  ambient: 2.1,
  sun: 2.2,
};

export const DARK: Theme = {
  zenith: '#0a0d12',
  horizon: '#232a35',
  ground: '#151a21',
  line: '#a9bbd4',
  lineStrength: 0.13,
  shadowStrength: 0.5,
  skin: '#dcd8d2',
  visor: '#12161d',
  cloth: '#4b5564',
  skyLight: '#b7cbe8',
  groundLight: '#4d5563',
  ambient: 2.1,
  sun: 2.1,
};
