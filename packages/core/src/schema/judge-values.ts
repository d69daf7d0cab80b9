import { format as formats, type Schema as Part } from "@cfworker/json-schema";
import { CHARS_A_STEP, canonicalText, type Judging, spend, spendOnEqual, wrong } from "./judging.ts";

/** Judges by `type`. */
export function judgeType(at: Judging, { type }: Part, value: unknown): boolean {
  if (type === undefined) return true;
  const kind = typeName(value);
  if (Array.isArray(type)) spend(at, type.length / 16);
  const isOf = (name: string) =>
    name === kind || (name === "integer" && kind === "number" && Number.isInteger(value));
  if (Array.isArray(type) ? type.some(isOf) : isOf(type)) return true;
  const wanted = () => [type].flat().slice(0, MOST_SHOWN).join('", "');
  return wrong(at, "type", () => `Instance type "${kind}" is invalid. Expected "${wanted()}".`);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Judges by `const` and `enum`. */
export function judgeValues(at: Judging, schema: Part, value: unknown): boolean {
  let fits = true;
  if (schema.const !== undefined && !isEqual(at, value, schema.const))
    fits = wrong(at, "const", () => `Instance does not match ${jsonStart(schema.const)}.`);
  if (schema.enum !== undefined && !schema.enum.some((one) => isEqual(at, value, one)))
    fits = wrong(at, "enum", () => `Instance does not match any of ${jsonStart(schema.enum)}.`);
  return fits;
}

/** The most items of a list, and the most characters of a text, in a message. */
const MOST_SHOWN = 500;

/** Returns a value of the schema as JSON, with the beginnings of long lists and texts. */
function jsonStart(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === "string" || Array.isArray(part) ? part.slice(0, MOST_SHOWN) : part,
  );
}

function isEqual(at: Judging, one: unknown, other: unknown): boolean {
  spend(at, 1 / 16);
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    spendOnEqual(at, one.length);
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  return canonicalText(at, one) === canonicalText(at, other);
}

/** Judges a text. */
export function judgeText(at: Judging, schema: Part, text: string): boolean {
  const { minLength, maxLength, pattern, format } = schema;
  let fits = true;
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePoints(at, text);
    if (minLength !== undefined && length < minLength)
      fits = wrong(at, "minLength", `String is too short (${length} < ${minLength}).`);
    if (maxLength !== undefined && length > maxLength)
      fits = wrong(at, "maxLength", `String is too long (${length} > ${maxLength}).`);
  }
  if (pattern !== undefined && !compiled(at, pattern).test(text))
    fits = wrong(at, "pattern", "String does not match pattern.");
  if (format !== undefined && Object.hasOwn(formats, format) && !formats[format]?.(text))
    fits = wrong(at, "format", `String does not match format "${format}".`);
  return fits;
}

/** Returns the compiled regular expression of a keyword. */
export function compiled({ patterns }: Judging, pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const made = new RegExp(pattern, "u");
  patterns.set(pattern, made);
  return made;
}

function codePoints(at: Judging, text: string): number {
  spend(at, text.length / CHARS_A_STEP);
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Judges a number. */
export function judgeNumber(at: Judging, schema: Part, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  let fits = true;
  if (minimum !== undefined && value < minimum)
    fits = wrong(at, "minimum", `${value} is less than ${minimum}.`);
  if (maximum !== undefined && value > maximum)
    fits = wrong(at, "maximum", `${value} is greater than ${maximum}.`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum)
    fits = wrong(at, "exclusiveMinimum", `${value} is less than or equal to ${exclusiveMinimum}.`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum)
    fits = wrong(at, "exclusiveMaximum", `${value} is greater than or equal to ${exclusiveMaximum}.`);
  if (multipleOf !== undefined && !isMultiple(at, value, multipleOf))
    fits = wrong(at, "multipleOf", `${value} is not a multiple of ${multipleOf}.`);
  return fits;
}

// In decimals, because 0.3 / 0.1 is not 3 in binary ones.
function isMultiple(at: Judging, value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  // Two numbers of up to 600 digits.
  spend(at, 4);
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
