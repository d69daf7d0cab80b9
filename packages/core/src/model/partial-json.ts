import type { Json } from "../base/json.ts";

/**
 * Parses the beginning of a JSON text, e.g. of an object that a model is writing. A string, list or object
 * that is cut off is returned as far as it has arrived. A number, keyword, key or escape that may be
 * incomplete is left out. Returns `undefined` if there is no value yet. For a text that grows, use
 * `jsonReader()`: it parses each character once.
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
   * Returns the value so far, as `partialJson()` does. Each call makes shallow copies of the lists and
   * objects that are still being written. Finished ones are not copied: all calls return the same objects.
   * Copying takes time, so for a long list, do not call it after every piece.
   */
  value(): Json | undefined;
}

/** A list or an object that is being written, and the key of its next value. */
interface OpenContainer {
  value: Json[] | { [key: string]: Json };
  key?: string | undefined;
}

/** The most levels of lists and objects. Deeper ones count as invalid JSON. */
const DEEPEST_PART = 200;

// Thrown at the first mistake. `read()` catches it, and ignores the rest of the text.
const NOT_JSON = new Error();

// `TOKEN` and `PART_OF_TEXT` match every text, even an empty one.

/**
 * The next token, after spaces, commas and colons. The first group is a quote, brace or bracket. The second
 * is a number or keyword, which is complete because another character follows.
 */
const TOKEN = /^[\s,:]*(?:(["{}[\]])|([^\s,:"{}[\]]+)(?=[\s,:"{}[\]]))?/;

/** A character that ends a number or keyword. */
const WORD_END = /[\s,:"{}[\]]/;

/** The content of a string up to its closing quote, an incomplete escape or half a surrogate pair. */
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
  /** The lists and objects that are being read, outermost first. */
  const open: OpenContainer[] = [];
  let root: Json | undefined;
  /** Whether the value is complete or invalid, so that further input is ignored. */
  let isOver = false;
  /** The string that is being read, as far as it has arrived; `undefined` outside of strings. */
  let openString: string | undefined;
  /** The end of the input, which was not parsed yet: a token that the next piece may continue. */
  let unread = "";

  const addValue = (value: Json): void => {
    const into = open.at(-1);
    isOver = into === undefined;
    if (into === undefined) root = value;
    else addTo(into, value);
  };
  const readMark = (mark: string): void => {
    if (mark === '"') openString = "";
    else if (mark === "}" || mark === "]") addValue(open.pop()?.value as Json);
    else if (open.length === DEEPEST_PART) throw NOT_JSON;
    else open.push({ value: mark === "{" ? {} : [] });
  };
  /** Reads the next token. Returns a truthy value if reading can go on. */
  const readNext = (): unknown => {
    if (openString !== undefined) return readString(openString);
    const [whole, mark, word] = TOKEN.exec(unread) as RegExpExecArray;
    unread = unread.slice(whole.length);
    if (mark) readMark(mark);
    else if (word) addValue(JSON.parse(word));
    return mark ?? word;
  };
  const readString = (before: string): boolean => {
    const [part] = PART_OF_TEXT.exec(unread) as RegExpExecArray;
    const text: string = before + JSON.parse(`"${part}"`);
    const isWhole = unread[part.length] === '"';
    unread = unread.slice(part.length + (isWhole ? 1 : 0));
    if (isWhole) addValue(text);
    openString = isWhole ? undefined : text;
    return isWhole;
  };
  return {
    read(piece) {
      // Outside of strings, `unread` is the beginning of a number or keyword. It is read once its end
      // arrives.
      const isInsideWord = unread && openString === undefined && !WORD_END.test(piece);
      unread += piece;
      try {
        while (!isInsideWord && !isOver && readNext());
      } catch {
        isOver = true;
      }
    },
    // From the innermost open value outwards, each is put into a copy of the one around it.
    value: () => open.reduceRight<Json | undefined>(withPart, openString) ?? root,
  };
}

/** Adds a value to an open list or object. In an object, keys and values alternate. */
function addTo(into: OpenContainer, value: Json): void {
  const { value: container, key } = into;
  if (Array.isArray(container)) container.push(value);
  else if (key !== undefined) {
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
    into.key = undefined;
  } else if (typeof value === "string") into.key = value;
  else throw NOT_JSON;
}

/** Returns a copy of an open list or object, with the part of it that is being written. */
function withPart(part: Json | undefined, { value, key }: OpenContainer): Json {
  if (Array.isArray(value)) return part === undefined ? [...value] : [...value, part];
  return part === undefined || key === undefined ? { ...value } : { ...value, [key]: part };
}
