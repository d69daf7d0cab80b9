import type { Json } from "../base/json.ts";
import { partialJson } from "../model/partial-json.ts";
import type { OutputPart } from "./output.ts";
import { readerOf } from "./output-readers.ts";

/**
 * Returns the value of an output that a message shows. For an output in progress, returns the part that has
 * arrived; `undefined` before that.
 *
 * @example
 * ```ts
 * import { outputIn } from "@pawl/core/view";
 *
 * const part = { type: "output", key: "4:output", open: true, json: '{"city":"Os' } as const;
 * console.log(outputIn(part)); // { city: 'Os' }
 * ```
 */
export function outputIn(part: OutputPart): Json | undefined {
  return part.open ? unwrappedOutput(readerOf(part).value(), part.wrapped) : part.value;
}

/**
 * Returns the output from the beginning of its JSON text. `wrapped` is the field of the `output_delta`
 * events: the output is then in the field `value` of the JSON.
 *
 * @example
 * ```ts
 * import { outputSoFar } from "@pawl/core/view";
 *
 * console.log(outputSoFar('{"value":["a","b', true)); // [ 'a', 'b' ]
 * ```
 */
export function outputSoFar(json: string, wrapped: boolean): Json | undefined {
  return unwrappedOutput(partialJson(json), wrapped);
}

function unwrappedOutput(json: Json | undefined, wrapped = false): Json | undefined {
  return wrapped ? (Object(json) as { value?: Json }).value : json;
}
