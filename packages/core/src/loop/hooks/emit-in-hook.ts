import type { EmittedPart } from "../../tools/emitted-part.ts";
import { literalResult } from "../../tools/tool-outcome.ts";
import type { Leg } from "../leg/leg.ts";

/** Stores or shows a part of a hook. A hook that does not await it must not end the process if it fails. */
export function emitInHook(leg: Leg, name: string, part: EmittedPart): Promise<void> {
  // Copied at once, because the hook may change the data.
  const copy = part?.data === undefined ? undefined : literalResult(part.data);
  const emitted = leg.parts.load().then(({ emitPart }) => emitPart(leg, { name }, part, copy));
  emitted.catch(() => undefined);
  return emitted;
}
