import type { Json } from "../base/json.ts";

/**
 * Parses the beginning of a JSON text, e.g. of an object that a model is writing. A text, a list or an object
 * that is cut off has the part that has arrived. A number, keyword, key or escape that may be incomplete is
 * left out. Returns `undefined` if there is no value yet. For a text that grows, use `jsonReader()`: it
 * parses each character once.
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
  const reader = jsonReader();
  reader.read(text);
  return reader.value();
}

/** Parses a JSON text that arrives in pieces. Each character is parsed once. */
export interface JsonReader {
  /** Adds the next piece of the text. */
  read(piece: string): void;
  /**
   * Returns the value so far, as `partialJson()` does. Its finished parts stay the same objects. Each call
   * copies the lists and objects that are still being written, without what is in their finished parts. For a
   * long list, call it less often than once per piece.
   */
  value(): Json | undefined;
}

/** A list or an object that is being written, and the key of its next value. */
interface Open {
  value: Json[] | { [key: string]: Json };
  key?: string | undefined;
}

const DEEPEST_PART = 200;

// `read()` catches it.
const NOT_JSON = new Error();

// Both expressions match every text, even an empty one.

/** A quote, brace or bracket, or a number or keyword that is complete because another character follows. */
const TOKEN = /^[\s,:]*(?:(["{}[\]])|([^\s,:"{}[\]]+)(?=[\s,:"{}[\]]))?/;

const WORD_END = /[\s,:"{}[\]]/;

/** The part of a text that can be read: neither an escape nor half a surrogate pair is cut off at its end. */
const PART_OF_TEXT =
  /^(?:[^"\\\ud800-\udbff]+|[\ud800-\udbff](?=[\s\S])|\\(?:[^u]|u(?!d[89ab])[\da-f]{4}|ud[89ab]..(?=[^\\]|\\[^u]|\\u....)))*/i;

/**
 * Returns a reader of a JSON text that arrives in pieces.
 *
 * @example
 * ```ts
 * import { jsonReader } from "@pawl/core/view";
 *
 * const reader = jsonReader();
 * reader.read('{"city":"Os');
 * console.log(reader.value()); // { city: 'Os' }
 * reader.read('lo"}');
 * console.log(reader.value()); // { city: 'Oslo' }
 * ```
 */
export function jsonReader(): JsonReader {
  const open: Open[] = [];
  let root: Json | undefined;
  let isOver = false;
  /** The string that is being read, as far as it has arrived; `undefined` outside of strings. */
  let said: string | undefined;
  /** The end of the input that was not parsed yet: a token that the next piece may continue. */
  let rest = "";

  const add = (value: Json): void => {
    const into = open.at(-1);
    isOver = into === undefined;
    if (into === undefined) root = value;
    else addTo(into, value);
  };
  const readMark = (mark: string): void => {
    if (mark === '"') said = "";
    else if (mark === "}" || mark === "]") add(open.pop()?.value as Json);
    else if (open.length === DEEPEST_PART) throw NOT_JSON;
    else open.push({ value: mark === "{" ? {} : [] });
  };
  /** Reads the next part of the input. Returns something truthy if there was one. */
  const readNext = (): unknown => {
    if (said !== undefined) return readText(said);
    const [whole, mark, word] = TOKEN.exec(rest) as RegExpExecArray;
    rest = rest.slice(whole.length);
    if (mark) readMark(mark);
    else if (word) add(JSON.parse(word));
    return mark ?? word;
  };
  const readText = (before: string): boolean => {
    const [part] = PART_OF_TEXT.exec(rest) as RegExpExecArray;
    const text: string = before + JSON.parse(`"${part}"`);
    const isWhole = rest[part.length] === '"';
    rest = rest.slice(part.length + (isWhole ? 1 : 0));
    if (isWhole) add(text);
    said = isWhole ? undefined : text;
    return isWhole;
  };
  return {
    read(piece) {
      // Outside of strings, only a number or keyword is left over. Nothing is read before its end.
      const goesOn = rest && said === undefined && !WORD_END.test(piece);
      rest += piece;
      try {
        while (!goesOn && !isOver && readNext());
      } catch {
        isOver = true;
      }
    },
    value: () => open.reduceRight<Json | undefined>(withPart, said) ?? root,
  };
}

function addTo(into: Open, value: Json): void {
  const { value: whole, key } = into;
  if (Array.isArray(whole)) whole.push(value);
  else if (key !== undefined) {
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(whole, key, { value, enumerable: true, configurable: true, writable: true });
    into.key = undefined;
  } else if (typeof value === "string") into.key = value;
  else throw NOT_JSON;
}

/** Returns a copy of a list or an object, with the part that is being written. */
function withPart(part: Json | undefined, { value, key }: Open): Json {
  if (Array.isArray(value)) return part === undefined ? [...value] : [...value, part];
  return part === undefined || key === undefined ? { ...value } : { ...value, [key]: part };
}
