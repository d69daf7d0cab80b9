import type { Json } from "../base/json.ts";

/**
 * Parses the beginning of a JSON text, e.g. of an object that a model is writing. A text, a list or an object
 * that is cut off has its part so far. An incomplete number, keyword, key or escape is left out. Returns
 * `undefined` if there is no value yet, or if the text is not JSON.
 *
 * @example
 * ```ts
 * import { partialJson } from "@pawl/core/view";
 *
 * console.log(partialJson('{"city":"Os')); // { city: 'Os' }
 * console.log(partialJson('{"city":"Oslo","celsius":1')); // { city: 'Oslo' }
 * ```
 */
export function partialJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    try {
      return valueAt({ text, at: 0, isCut: false }, DEEPEST_PART);
    } catch {
      return undefined;
    }
  }
}

/** A place in the text. `isCut`: the text has ended inside a value. */
interface JsonReading {
  readonly text: string;
  at: number;
  isCut: boolean;
}

const DEEPEST_PART = 200;

function valueAt(reading: JsonReading, depth: number): Json | undefined {
  const sign = nextSign(reading);
  if (depth === 0) throw new SyntaxError("too deep");
  if (sign === undefined) return undefined;
  if (sign === "{") return objectAt(reading, depth - 1);
  if (sign === "[") return listAt(reading, depth - 1);
  return sign === '"' ? stringAt(reading) : literalAt(reading);
}

/** Returns the next character that is no white space, without reading it. */
function nextSign(reading: JsonReading): string | undefined {
  while (/\s/.test(reading.text[reading.at] ?? "")) reading.at += 1;
  const sign = reading.text[reading.at];
  reading.isCut ||= sign === undefined;
  return sign;
}

/** Reads the next character. Returns `false` if the text ends before it; throws if it is another one. */
function readSign(reading: JsonReading, ...expected: string[]): string | false {
  const sign = nextSign(reading);
  if (sign === undefined) return false;
  if (!expected.includes(sign)) throw new SyntaxError(`unexpected ${sign}`);
  reading.at += 1;
  return sign;
}

function listAt(reading: JsonReading, depth: number): Json[] {
  const list: Json[] = [];
  readSign(reading, "[");
  if (nextSign(reading) === "]") readSign(reading, "]");
  else
    do {
      const value = valueAt(reading, depth);
      if (value !== undefined) list.push(value);
    } while (!reading.isCut && readSign(reading, ",", "]") === ",");
  return list;
}

function objectAt(reading: JsonReading, depth: number): Json {
  const entries: [string, Json][] = [];
  readSign(reading, "{");
  if (nextSign(reading) === "}") readSign(reading, "}");
  else
    do {
      if (nextSign(reading) !== '"' && !reading.isCut) throw new SyntaxError("a key must be a string");
      const key = reading.isCut ? "" : stringAt(reading);
      if (reading.isCut || readSign(reading, ":") === false) break;
      const value = valueAt(reading, depth);
      if (value !== undefined) entries.push([key, value]);
    } while (!reading.isCut && readSign(reading, ",", "}") === ",");
  return Object.fromEntries(entries);
}

const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** The beginning of a literal, up to the end of the text. */
const CUT_LITERAL = /^(?:-?[\d.eE+-]*|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/;

function literalAt(reading: JsonReading): Json | undefined {
  LITERAL.lastIndex = reading.at;
  const literal = LITERAL.exec(reading.text)?.[0] ?? "";
  const end = reading.at + literal.length;
  // A number at the end of the text may still grow.
  const mayGrow = end === reading.text.length && !/^[tfn]/.test(literal);
  if (literal === "" || mayGrow || /[\d.eE+-]/.test(reading.text[end] ?? "")) {
    if (!CUT_LITERAL.test(reading.text.slice(reading.at))) throw new SyntaxError("no literal");
    reading.isCut = true;
    return undefined;
  }
  reading.at = end;
  return JSON.parse(literal) as Json;
}

function stringAt(reading: JsonReading): string {
  const { text, at } = reading;
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\") end += 1;
    else if (text[end] === '"') {
      reading.at = end + 1;
      return JSON.parse(text.slice(at, end + 1)) as string;
    }
  }
  reading.at = text.length;
  reading.isCut = true;
  return JSON.parse(`${wholePart(text.slice(at))}"`) as string;
}

const CUT_ESCAPE = /(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?$/;

/** Removes an escape, or half a surrogate pair, that is cut off at the end of a string. */
function wholePart(text: string): string {
  const at = CUT_ESCAPE.exec(text)?.index ?? text.length;
  const isEscape = backslashesBefore(text, at) % 2 === 0;
  const whole = isEscape ? text.slice(0, at) : text;
  return whole.isWellFormed() ? whole : whole.slice(0, -1);
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text[at - 1 - count] === "\\") count += 1;
  return count;
}
