import { PawlError, type PawlErrorCode } from "./errors.ts";

/**
 * The kind of value that an option accepts. `any` accepts everything; the function checks the value itself.
 */
export type OptionKind = "string" | "number" | "boolean" | "function" | "object" | "list" | "any";

/**
 * Maps every option of a function to its kind; `!` marks a required option. An option without a kind does not
 * compile. If no kind fits an option, `is` tests its value, and `mustBe` describes a valid one.
 */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?:
    | OptionKind
    | `${OptionKind}!`
    | {
        readonly mustBe: string;
        readonly is: (value: unknown) => boolean;
        readonly required?: boolean;
        /** Whether the message may show a wrong string, because the option takes one of a few words. */
        readonly isPublic?: boolean;
      };
};

/** Options for the errors that {@link checkOptions} throws. */
export interface OptionErrors {
  /** Hints for option names of other libraries, e.g. `{ parameters: "Use `input`." }`. */
  instead?: { readonly [name: string]: string };
  /** The code of the error. Default: `config`. */
  code?: PawlErrorCode;
}

/**
 * Checks options at run time, for callers without a type checker. The options must be an object with known
 * names only and with all required options, and each value must be of its kind.
 *
 * @param whose the function as the caller wrote it, e.g. `tool("weather")`
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
  whose: string,
  given: unknown,
  kinds: OptionKinds<Options>,
  { instead = {}, code = "config" }: OptionErrors = {},
): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new PawlError(code, `${whose} takes an object of options${needed(kinds)}; got ${kindOf(given)}.`);
  }
  const known = new Map<string, Kind>(Object.entries<Kind>(kinds));
  const values = new Map<string, unknown>(Object.entries(given));
  const unknown = [...values.keys()].filter((name) => !known.has(name) && values.get(name) !== undefined);
  const hints = new Map(unknown.map((name) => [name, hintFor(name, [...known.keys()], instead)]));
  const problems = [
    ...unknown.map((name) => `${whose} has no option "${name}".${hints.get(name) ?? ""}`),
    ...[...known].flatMap(([name, kind]) => problemWith(whose, name, kind, values.get(name))),
  ];
  if (unknown.some((name) => hints.get(name) === undefined)) {
    problems.push(`The options of ${whose} are ${[...known.keys()].join(", ")}.`);
  }
  // biome-ignore lint/plugin: the developer reads all mistakes of the app's own options.
  if (problems.length > 0) throw new PawlError(code, problems.join(" "));
}

type Kind = OptionKinds<{ one: unknown }>["one"];

/** Names the required options: " with `a` and `b`". */
function needed(kinds: object): string {
  const required = Object.entries<Kind>(kinds as { [name: string]: Kind })
    .filter(([, kind]) => (typeof kind === "string" ? testOf(kind) : kind).required)
    .map(([name]) => `\`${name}\``);
  const last = required.pop();
  if (last === undefined) return "";
  return ` with ${required.length === 0 ? last : `${required.join(", ")} and ${last}`}`;
}

/** The kind of an option that is an abort signal. */
export const SIGNAL: { readonly mustBe: string; is(value: unknown): boolean } = {
  mustBe: "an AbortSignal, e.g. the `signal` of an AbortController",
  is: (value) => typeof Object(value).addEventListener === "function",
};

/** The kind of an option that is a list. The error message for any other value shows the example. */
export function listOf(example: string, required = false): Exclude<Kind, string> {
  return { mustBe: `a list, e.g. ${example}`, is: Array.isArray, required };
}

/** The kind of an option that counts something. */
export const COUNT: Exclude<Kind, string> = {
  mustBe: "a whole number from 1",
  is: (value) => Number.isInteger(value) && (value as number) > 0,
};

/** The kind of an option that is one of a few words. */
export function oneOf(...words: readonly string[]): Exclude<Kind, string> {
  const named = words.map((word) => `"${word}"`);
  const mustBe = `${named.slice(0, -1).join(", ")} or ${named.at(-1)}`;
  return { mustBe, is: (value) => words.includes(value as string), isPublic: true };
}

function problemWith(whose: string, name: string, kind: Kind, value: unknown): string[] {
  const { mustBe, is, required, isPublic } = typeof kind === "string" ? testOf(kind) : kind;
  if (value === undefined)
    return required ? [`${whose} needs \`${name}\`${mustBe === "" ? "" : `, ${mustBe}`}.`] : [];
  if (is(value)) return [];
  if (isPublic && typeof value === "string")
    return [`\`${name}\` of ${whose} must be ${mustBe}; got ${JSON.stringify(value.slice(0, 40))}.`];
  // "must be a number above 0; got a number" would not help.
  const given =
    typeof kind !== "string" && typeof value === "number" ? `not ${value}` : `got ${kindOf(value)}`;
  return [`\`${name}\` of ${whose} must be ${mustBe}; ${given}.`];
}

function testOf(kind: string): Exclude<Kind, string> {
  const what = kind.replace("!", "") as OptionKind;
  return { mustBe: WORDS[what], is: (value) => isOfKind(value, what), required: kind.endsWith("!") };
}

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

/** Returns what to write instead of an unknown name: the hint for it, or a known name that is spelt alike. */
function hintFor(name: string, known: readonly string[], instead: { readonly [name: string]: string }) {
  if (Object.hasOwn(instead, name)) return ` ${instead[name]}`;
  const meant = known.find((other) => isAlike(name.toLowerCase(), other.toLowerCase()));
  return meant && ` Did you mean \`${meant}\`?`;
}

/** Returns whether two names differ in one letter, or in the order of two neighbouring letters. */
function isAlike(a: string, b: string): boolean {
  if (a.length > b.length) return isAlike(b, a);
  if (a.length < 3) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  if (a.slice(at) === b.slice(at + 1)) return true; // a letter is missing
  if (a.slice(at + 1) === b.slice(at + 1)) return true; // another letter, or none
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
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
