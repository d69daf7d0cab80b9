import { PawlError, type PawlErrorCode } from "./errors.ts";

/**
 * The kind of value that an option accepts. `any` accepts everything: the function that takes the option
 * checks the value itself.
 */
export type OptionKind = "string" | "number" | "boolean" | "function" | "object" | "list" | "any";

/**
 * Maps every option of a function to its kind; `!` marks a required option. An option without a kind does not
 * compile. If no kind fits an option, map it to an object: `is` tests a value, and `mustBe` describes valid
 * values in the error message.
 */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?:
    | OptionKind
    | `${OptionKind}!`
    | {
        readonly mustBe: string;
        readonly is: (value: unknown) => boolean;
        readonly required?: boolean;
        /**
         * Whether the error message may show a wrong string. Set it if the option takes one of a few words.
         */
        readonly isPublic?: boolean;
      };
};

/** Options for the errors that {@link checkOptions} throws. */
export interface OptionErrors {
  /**
   * Hints for option names of other libraries, e.g. `{ parameters: "Use `input`." }`, or a function that
   * returns them. It is called if an option is unknown.
   */
  instead?: { readonly [name: string]: string } | (() => { readonly [name: string]: string });
  /** The code of the error. Default: `config`. */
  code?: PawlErrorCode;
}

/**
 * Checks options at run time, for callers without a type checker. The options must be an object with known
 * names only and with all required options, and each value must be of its kind.
 *
 * @param owner the function as the caller wrote it, e.g. `tool("weather")`
 * @throws PawlError `config`, or the code in `errors`. The message lists all problems. It shows the types of
 * wrong values, never the values, because they may be secrets (but see `isPublic`).
 *
 * @example
 * ```ts
 * import { checkOptions, type OptionKinds } from "@pawl/core";
 *
 * interface GreetOptions {
 *   name: string;
 *   loud?: boolean;
 * }
 * const KINDS: OptionKinds<GreetOptions> = { name: "string!", loud: "boolean" };
 *
 * function greet(options: GreetOptions): void {
 *   checkOptions("greet()", options, KINDS);
 * }
 * try {
 *   greet({ nmae: "Ada" } as never);
 * } catch (error) {
 *   console.log(String(error)); // … greet() has no option "nmae". greet() needs `name`, a string. …
 * }
 * ```
 */
export function checkOptions<Options extends object>(
  owner: string,
  options: unknown,
  kinds: OptionKinds<Options>,
  { instead = {}, code = "config" }: OptionErrors = {},
): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const got = kindOf(options);
    throw new PawlError(code, `${owner} takes an object of options${withRequired(kinds)}; got ${got}.`);
  }
  const kindsByName = new Map<string, Kind>(Object.entries<Kind>(kinds));
  const values = new Map<string, unknown>(Object.entries(options));
  const unknownNames = [...values.keys()].filter(
    (name) => !kindsByName.has(name) && values.get(name) !== undefined,
  );
  const table = typeof instead === "function" && unknownNames.length > 0 ? instead() : instead;
  const hints = new Map(unknownNames.map((name) => [name, hintFor(name, [...kindsByName.keys()], table)]));
  const problems = [
    ...unknownNames.map((name) => `${owner} has no option "${name}".${hints.get(name) ?? ""}`),
    ...[...kindsByName].flatMap(([name, kind]) => problemWith(owner, name, kind, values.get(name))),
  ];
  if (unknownNames.some((name) => hints.get(name) === undefined)) {
    problems.push(`The options of ${owner} are ${[...kindsByName.keys()].join(", ")}.`);
  }
  // biome-ignore lint/plugin: the developer reads all mistakes of the app's own options.
  if (problems.length > 0) throw new PawlError(code, problems.join(" "));
}

/** The kind of one option, in any of its forms. */
type Kind = OptionKinds<{ one: unknown }>["one"];

/**
 * Returns a part of an error message that names the required options: " with `a` and `b`". Returns an empty
 * string if none is required.
 */
function withRequired(kinds: object): string {
  const names = Object.entries<Kind>(kinds as { [name: string]: Kind })
    .filter(([, kind]) => (typeof kind === "string" ? testOf(kind) : kind).required)
    .map(([name]) => `\`${name}\``);
  const lastName = names.pop();
  if (lastName === undefined) return "";
  return names.length === 0 ? ` with ${lastName}` : ` with ${names.join(", ")} and ${lastName}`;
}

/** The kind of an option that is an abort signal. */
export const SIGNAL: { readonly mustBe: string; is(value: unknown): boolean } = {
  mustBe: "an AbortSignal, e.g. the `signal` of an AbortController",
  is: (value) => typeof Object(value).addEventListener === "function",
};

/** Returns the kind of an option that is a list. The error message for any other value shows `example`. */
export function listOf(example: string, required = false): Exclude<Kind, string> {
  return { mustBe: `a list, e.g. ${example}`, is: Array.isArray, required };
}

/** The kind of an option that counts something: a whole number from 1. */
export const COUNT: Exclude<Kind, string> = {
  mustBe: "a whole number from 1",
  is: (value) => Number.isInteger(value) && (value as number) > 0,
};

/** Returns the kind of an option that is one of these words. */
export function oneOf(...words: readonly string[]): Exclude<Kind, string> {
  const quoted = words.map((word) => `"${word}"`);
  const mustBe = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return { mustBe, is: (value) => words.includes(value as string), isPublic: true };
}

/** Returns the problem with an option's value, in a list; an empty list for a valid value. */
function problemWith(owner: string, name: string, kind: Kind, value: unknown): string[] {
  const { mustBe, is, required, isPublic } = typeof kind === "string" ? testOf(kind) : kind;
  if (value === undefined)
    return required ? [`${owner} needs \`${name}\`${mustBe === "" ? "" : `, ${mustBe}`}.`] : [];
  if (is(value)) return [];
  if (isPublic && typeof value === "string")
    return [`\`${name}\` of ${owner} must be ${mustBe}; got ${JSON.stringify(value.slice(0, 40))}.`];
  // Shows a wrong number itself: "must be a whole number from 1; got a number" would not help.
  const got = typeof kind !== "string" && typeof value === "number" ? `not ${value}` : `got ${kindOf(value)}`;
  return [`\`${name}\` of ${owner} must be ${mustBe}; ${got}.`];
}

/** Returns the test for a kind that is written as a word, e.g. `string` or `string!`. */
function testOf(word: string): Exclude<Kind, string> {
  const kind = word.replace("!", "") as OptionKind;
  return { mustBe: WORDS[kind], is: (value) => isOfKind(value, kind), required: word.endsWith("!") };
}

/** How error messages describe the values of each kind. */
const WORDS: { readonly [kind in OptionKind]: string } = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  function: "a function",
  object: "an object",
  list: "a list",
  any: "",
};

function isOfKind(value: unknown, kind: OptionKind): boolean {
  if (kind === "any") return true;
  if (kind === "list") return Array.isArray(value);
  if (kind === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === kind;
}

/**
 * Returns a hint for an unknown name: the one in `instead`, or a known name that is spelt alike. Returns
 * `undefined` if there is neither.
 */
function hintFor(name: string, known: readonly string[], instead: object) {
  if (Object.hasOwn(instead, name)) return ` ${instead[name as never]}`;
  const similar = known.find((other) => isAlike(name.toLowerCase(), other.toLowerCase()));
  return similar && ` Did you mean \`${similar}\`?`;
}

/**
 * Returns whether two names differ in at most one letter, or in the order of two neighbouring letters. Always
 * `false` if a name has fewer than 3 letters.
 */
function isAlike(a: string, b: string): boolean {
  if (a.length > b.length) return isAlike(b, a);
  if (a.length < 3) return false;
  let diff = 0; // the index of the first difference
  while (diff < a.length && a[diff] === b[diff]) diff += 1;
  if (a.slice(diff) === b.slice(diff + 1)) return true; // `a` lacks one letter of `b`
  if (a.slice(diff + 1) === b.slice(diff + 1)) return true; // one letter differs, or none does
  const isSwapped = a[diff] === b[diff + 1] && a[diff + 1] === b[diff];
  return isSwapped && a.slice(diff + 2) === b.slice(diff + 2);
}

/**
 * Returns the type of a value in words, for messages that must not show the value: it may be a secret.
 *
 * @example
 * ```ts
 * import { kindOf } from "@pawl/core/tools";
 *
 * console.log(kindOf([]), kindOf(null), kindOf(5)); // a list null a number
 * ```
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof Object(value).then === "function") return "a promise, which needs `await`";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
