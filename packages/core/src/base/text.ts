/**
 * Whether a text is invisible: only white space, control and zero-width characters. The API refuses such
 * blocks.
 */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** Whether a JSON text contains a lone surrogate. JSON escapes surrogates only where they stand alone. */
export function hasLoneSurrogate(json: string): boolean {
  return json.includes("\\ud") && /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(json);
}
