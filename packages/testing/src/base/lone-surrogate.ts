/** Returns the position of half a surrogate pair in the JSON of `body`, or -1 if none exists. */
// JSON.stringify escapes only surrogates without their other half.
export function loneSurrogateIn(body: unknown): number {
  return JSON.stringify(body)?.search(/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/) ?? -1;
}
