/**
 * Where the JSON of `body` has half a surrogate pair, or -1. JSON.stringify escapes surrogates only where
 * they stand alone.
 */
export function loneSurrogateIn(body: unknown): number {
  return JSON.stringify(body)?.search(/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/) ?? -1;
}
