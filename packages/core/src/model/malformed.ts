import { kindOf } from "../base/check-options.ts";
import { messageOf, PawlError } from "../base/errors.ts";

/** The `details.type` of an error about an answer that does not have the API's shape. */
export const MALFORMED = "malformed_answer";

/**
 * Returns the `model_error` for an answer that does not have the shape of its API. The error is retryable,
 * and its `details.type` is `malformed_answer`.
 *
 * @param problem what is wrong, as the rest of a sentence, e.g. `` `delta` must be an object; got null``
 *
 * @example
 * ```ts
 * import { malformedAnswer } from "@pawl/core/model";
 *
 * console.log(malformedAnswer("`delta` must be an object; got null").message);
 * // The model's answer is malformed: `delta` must be an object; got null.
 * ```
 */
export function malformedAnswer(problem: string, cause?: unknown): PawlError {
  return new PawlError("model_error", `The model's answer is malformed: ${problem}.`, {
    ...(cause !== undefined && { cause }),
    details: { type: MALFORMED, retryable: true },
  });
}

/**
 * Converts an error that was thrown while an answer was read. Returns a `PawlError` unchanged. Any other
 * error becomes the cause of a {@link malformedAnswer}.
 *
 * @example
 * ```ts
 * import { unreadable } from "@pawl/core/model";
 *
 * console.log(unreadable(new TypeError("x is not iterable")).message);
 * // The model's answer is malformed: reading it failed with "x is not iterable".
 * ```
 */
export function unreadable(error: unknown): PawlError {
  return PawlError.is(error) ? error : malformedAnswer(`reading it failed with "${messageOf(error)}"`, error);
}

/**
 * Returns the {@link malformedAnswer} for a part of an answer that has the wrong type.
 *
 * @param part the name of the part, for the message
 *
 * @example
 * ```ts
 * import { wrongKind } from "@pawl/core/model";
 *
 * console.log(wrongKind("`choices`", "a list", 5).message);
 * // The model's answer is malformed: `choices` must be a list; got a number.
 * ```
 */
export function wrongKind(part: string, expected: string, got: unknown): PawlError {
  return malformedAnswer(
    `${part} must be ${expected}; ${got === undefined ? "it is missing" : `got ${kindOf(got)}`}`,
  );
}

/**
 * Returns the {@link malformedAnswer} for a response that is not an event stream, e.g. an HTML page at a
 * wrong URL. Returns `undefined` if the header `content-type` names an event stream, or is missing. Call it
 * for a response without a single event.
 *
 * @example
 * ```ts
 * import { wrongContentType } from "@pawl/core/model";
 *
 * console.log(wrongContentType(new Headers({ "content-type": "text/html" }))?.message);
 * // The model's answer is malformed: the server sent text/html instead of text/event-stream.
 * console.log(wrongContentType(new Headers({ "content-type": "text/event-stream" }))); // undefined
 * ```
 */
export function wrongContentType(headers: {
  get(name: string): string | null | undefined;
}): PawlError | undefined {
  const type = headers.get("content-type");
  if (!type || type.includes("text/event-stream")) return undefined;
  return malformedAnswer(`the server sent ${type.slice(0, 100)} instead of text/event-stream`);
}
