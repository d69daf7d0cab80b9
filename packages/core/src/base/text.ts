/**
 * Returns whether a text is empty or has only white space, control and zero-width characters. The Messages
 * API refuses blocks of such text.
 */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/**
 * Returns whether a JSON text contains the escape of a lone surrogate. `JSON.stringify` escapes no other
 * surrogates.
 */
export function hasLoneSurrogate(json: string): boolean {
  // An even number of backslashes before the escape: otherwise its own backslash is escaped.
  return json.includes("\\ud") && /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(json);
}
