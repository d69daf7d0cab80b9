/**
 * Whether a text shows nothing: white space, control and zero-width characters only. The API refuses such
 * blocks.
 */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Whether a JSON text carries half a surrogate pair: JSON escapes surrogates only where they stand alone. */
export function hasLoneSurrogate(json: string): boolean {
  return json.includes("\\ud") && /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(json);
}
