/** Returns where the JSON of `body` has half a surrogate pair, or -1 if it has none. */
// JSON.stringify escapes only surrogates without their other half.
export function loneSurrogateIn(body: unknown): number {
  return JSON.stringify(body)?.search(/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/) ?? -1;
}
