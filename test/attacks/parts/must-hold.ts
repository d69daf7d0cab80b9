import { brokenIf } from "../frame/attack.ts";

/** Throws `Broken` with what was got unless it is right, and returns it otherwise. */
export function mustHold(isRight: boolean, got: unknown): string {
  return brokenIf(!isRight, typeof got === "string" ? got : JSON.stringify(got));
}
