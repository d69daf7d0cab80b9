import { messageOf } from "../base/errors.ts";
import { type Json, toJson } from "../base/json.ts";
import { MAX_DEPTH } from "../base/json-depth.ts";
import { firstLoss, instanceName, isLiteral, nestedTooDeep } from "../base/json-loss.ts";

/** What a tool returned, as JSON, or the first part of it that JSON would lose. */
export type CheckedResult = { json: Json } | { loss: string };

/** Converts a tool's return value, or what has this `name`, to JSON, unless JSON would lose a part of it. */
export function checkedResult(value: unknown, name = "result"): CheckedResult {
  try {
    const loss = resultLoss(value, name);
    return loss === undefined ? { json: toJson(value) } : { loss };
  } catch (cause) {
    return { loss: whyItFails(cause) };
  }
}

/** Describes the first part of a tool's value that JSON would lose; `undefined` if it loses nothing. */
export function resultLoss(value: unknown, name: string): string | undefined {
  try {
    return lossOf(value, name, MAX_DEPTH);
  } catch (cause) {
    return whyItFails(cause);
  }
}

/** Describes what a getter or `toJSON` of a value has thrown. */
export function whyItFails(cause: unknown): string {
  return `it fails with "${messageOf(cause)}"`;
}

/** The error of a call whose result JSON would lose in part. The model reads its message. */
export class LostResult extends Error {
  readonly code = "invalid_result";

  constructor(loss: string) {
    super(
      `The tool did its work, but its result cannot be represented as JSON: ${loss}. Do not call it again for the result.`,
    );
    this.name = "LostResult";
  }
}

// Not `jsonLoss()`: a tool may return instances of classes, e.g. rows of a database, whose fields are kept,
// and nothing, which is `null`.
function lossOf(value: unknown, path: string, levelsLeft: number): string | undefined {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? undefined : `${path} is ${value}`;
    case "bigint":
    case "symbol":
    case "function":
      return `${path} is a ${typeof value}`;
    case "object":
      return value === null ? undefined : lossOfObject(value, path, levelsLeft);
    default:
      return undefined;
  }
}

function lossOfObject(value: object, path: string, levelsLeft: number): string | undefined {
  if (levelsLeft === 0) return nestedTooDeep(path);
  if (value instanceof Date && Number.isNaN(value.getTime())) return `${path} is an invalid Date`;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return lossOf(toJSON.call(value, ""), path, levelsLeft - 1);
  const inPart = (part: unknown, at: string) => lossOf(part, at, levelsLeft - 1);
  if (Array.isArray(value)) return firstLoss(value.entries(), (index) => `${path}[${index}]`, inPart);
  const fields = Object.entries(value);
  // All that a Map, a Set, a Promise or a class with private fields has is out of JSON's reach.
  const isHidden = fields.length === 0 || HIDING.test(Object.prototype.toString.call(value));
  const isPlain = isLiteral(value);
  if (!isPlain && isHidden) return `${path} is ${instanceName(value)}`;
  // Functions in the fields of an instance are methods.
  const shown = isPlain ? fields : fields.filter(([, part]) => typeof part !== "function");
  return firstLoss(shown, (name) => `${path}.${name}`, inPart);
}

const HIDING = /^\[object (Map|Set|Error|Promise)\]$/;
