import { format as formats, type Schema as Part } from "@cfworker/json-schema";
import { CHARS_A_STEP, canonicalText, spend, spendOnEqual, type ValidationState, wrong } from "./judging.ts";

/** Returns whether a value has the type that the schema asks for. Notes a mistake if not. */
export function judgeType(state: ValidationState, { type }: Part, value: unknown): boolean {
  if (type === undefined) return true;
  const kind = typeName(value);
  if (Array.isArray(type)) spend(state, type.length / 16);
  const isType = (name: string) =>
    name === kind || (name === "integer" && kind === "number" && Number.isInteger(value));
  if (Array.isArray(type) ? type.some(isType) : isType(type)) return true;
  const expected = () => [type].flat().slice(0, MOST_SHOWN).join('", "');
  return wrong(state, "type", () => `Instance type "${kind}" is invalid. Expected "${expected()}".`);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns whether a value is valid by `const` and `enum`. Notes its mistakes. */
export function judgeValues(state: ValidationState, schema: Part, value: unknown): boolean {
  let fits = true;
  if (schema.const !== undefined && !isEqual(state, value, schema.const))
    fits = wrong(state, "const", () => `Instance does not match ${jsonStart(schema.const)}.`);
  if (schema.enum !== undefined && !schema.enum.some((one) => isEqual(state, value, one)))
    fits = wrong(state, "enum", () => `Instance does not match any of ${jsonStart(schema.enum)}.`);
  return fits;
}

/** The most items of a list, and the most characters of a text, in a message. */
const MOST_SHOWN = 500;

/** Returns a value of the schema as JSON, for a message. Long lists and texts are shortened. */
function jsonStart(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" || Array.isArray(part) ? part.slice(0, MOST_SHOWN) : part,
  );
}

function isEqual(state: ValidationState, one: unknown, other: unknown): boolean {
  spend(state, 1 / 16);
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    spendOnEqual(state, one.length);
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  return canonicalText(state, one) === canonicalText(state, other);
}

/** Returns whether a text is valid by the keywords for strings. Notes its mistakes. */
export function judgeText(state: ValidationState, schema: Part, text: string): boolean {
  const { minLength, maxLength, pattern, format } = schema;
  let fits = true;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePoints(state, text);
    if (minLength !== undefined && length < minLength)
      fits = wrong(state, "minLength", `String is too short (${length} < ${minLength}).`);
    if (maxLength !== undefined && length > maxLength)
      fits = wrong(state, "maxLength", `String is too long (${length} > ${maxLength}).`);
  }
  if (pattern !== undefined && !compiled(state, pattern).test(text))
    fits = wrong(state, "pattern", "String does not match pattern.");
  if (format !== undefined && Object.hasOwn(formats, format) && !formats[format]?.(text))
    fits = wrong(state, "format", `String does not match format "${format}".`);
  return fits;
}

/** Returns a regular expression of the schema. Compiles it only the first time. */
export function compiled({ patterns }: ValidationState, pattern: string): RegExp {
  const existing = patterns.get(pattern);
  if (existing !== undefined) return existing;
  const made = new RegExp(pattern, "u");
  patterns.set(pattern, made);
  return made;
}

/** Returns the length of a text in code points. */
function codePoints(state: ValidationState, text: string): number {
  spend(state, text.length / CHARS_A_STEP);
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Returns whether a number is valid by the keywords for numbers. Notes its mistakes. */
export function judgeNumber(state: ValidationState, schema: Part, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  let fits = true;
  if (minimum !== undefined && value < minimum)
    fits = wrong(state, "minimum", `${value} is less than ${minimum}.`);
  if (maximum !== undefined && value > maximum)
    fits = wrong(state, "maximum", `${value} is greater than ${maximum}.`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    fits = wrong(state, "exclusiveMinimum", `${value} is less than or equal to ${exclusiveMinimum}.`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    fits = wrong(state, "exclusiveMaximum", `${value} is greater than or equal to ${exclusiveMaximum}.`);
  if (multipleOf !== undefined && !isMultiple(state, value, multipleOf))
    fits = wrong(state, "multipleOf", `${value} is not a multiple of ${multipleOf}.`);
  return fits;
}

// Divides decimal numbers, because 0.3 / 0.1 is not exactly 3 in floating point.
function isMultiple(state: ValidationState, value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  // The numbers may have up to 600 digits.
  spend(state, 4);
  const [digits, exponent] = decimal(value);
  const [by, byExponent] = decimal(divisor);
  const lowest = Math.min(exponent, byExponent);
  const scaled = (whole: bigint, from: number) => whole * 10n ** BigInt(from - lowest);
  return scaled(digits, exponent) % scaled(by, byExponent) === 0n;
}

/** Returns a number as a whole number and the power of ten to multiply it with. */
function decimal(value: number): [digits: bigint, exponent: number] {
  const [mantissa = "", exponent] = value.toExponential().split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length];
}
