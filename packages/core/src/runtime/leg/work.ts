import { withinDeadline } from "../../base/deadline.ts";
import { causeOf, messageOf, PawlError, storeFailed } from "../../base/errors.ts";
import { storedFirst, unlessAgain } from "../../loop/leg/stored-first.ts";
import { lacksCredentials, runLoop } from "../../loop/loop.ts";
import { reportUnstored } from "../../loop/tools/late-result.ts";
import type { OwnLeg } from "./make-leg.ts";
import { storeTools } from "./ready.ts";

/**
 * Runs a leg's loop. An exception ends the run as an error, unless the store failed or the lease is lost. A
 * lost lease may also show while the run is being ended.
 */
export async function work(leg: OwnLeg): Promise<boolean> {
  try {
    return await loopOrEnd(leg);
  } catch (error) {
    if (!PawlError.is(error, "fenced")) throw error;
    leg.life.lose();
    return false;
  } finally {
    if (leg.life.lost) await reportUnstored(leg);
  }
}

async function loopOrEnd(leg: OwnLeg): Promise<boolean> {
  try {
    const deps = withinDeadline(leg.life, leg.makeDeps());
    // Without credentials, the run only asks for them or ends, so an error of `deps` does not count.
    await (lacksCredentials(leg) ? deps.catch(() => undefined) : deps);
    await leg.ready();
    if (leg.agent.toolsFor !== undefined) await storeTools(leg);
    return await runLoop(leg);
  } catch (error) {
    if (PawlError.is(error, "fenced")) throw error;
    if (storeFailed(error)) {
      // The log may be fine, e.g. if a schema reads another store. Somebody waits for a held answer.
      await storedFirst(leg).catch(() => undefined);
      throw error;
    }
    if (PawlError.is(error, "tools_failed")) {
      // The next sweep tries again.
      leg.report.failed(error);
      throw error;
    }
    if (leg.life.lost) return false;
    // A stopped run ends with its stop reason, even if the aborted work threw an error.
    return leg.life.signal.aborted ? await runLoop(leg) : await endAsError(leg, error);
  }
}

async function endAsError(leg: OwnLeg, error: unknown): Promise<boolean> {
  await leg.log.barrier()?.catch(unlessAgain);
  leg.report.failed(error);
  await leg.report.logError({ code: "internal", message: messageOf(error), context: causeOf(error) });
  return await runLoop(leg, { type: "error", message: "Something went wrong. Please try again." });
}
