import { PawlError } from "../base/errors.ts";
import type { Host } from "./leg/host.ts";

/**
 * Brings the process's work to an end: runs stop at their next turn boundary, and those that do not in time are left to
 * another process as they are. Then readers are told to go elsewhere.
 */
export async function drain(host: Host, timeoutMs: number): Promise<void> {
  host.draining = true;
  const atRest = async () => {
    await Promise.allSettled(host.begins);
    await Promise.allSettled([...host.legs.values()].map(({ done }) => done));
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  const resting = atRest();
  await Promise.race([resting, late]);
  clearTimeout(timer);
  for (const leg of host.legs.values()) leg.leave();
  await Promise.race([
    atRest(),
    new Promise((resolve) => setTimeout(resolve, 2 * host.abortGraceMs).unref?.()),
  ]);
  host.over.abort(new PawlError("draining", "This process is going down. Go on elsewhere."));
}
