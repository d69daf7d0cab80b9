/**
 * Finds half a surrogate pair in the JSON of `body`; otherwise -1. JSON.stringify escapes only lone
 * surrogates.
 */
export function loneSurrogateIn(body: unknown): number {
  return JSON.stringify(body)?.search(/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/) ?? -1;
}
