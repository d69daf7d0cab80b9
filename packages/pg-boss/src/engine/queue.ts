import { PawlError } from "@pawl/core";
import { PgBoss, type Queue } from "pg-boss";

/**
 * How often the workers look for sessions whose time has come, in seconds. Wakes for now are notified.
 */
export const POLL_SECONDS = 2;

/** How often each process looks for jobs of dead processes, in seconds. One process at a time does it. */
const SUPERVISE_SECONDS = 2;

/** For how long jobs that are done remain, and how often they are deleted, in seconds. */
const KEEP_SECONDS = 60;

/**
 * One job of each key may wait, and any number may be active. With `stately`, pg-boss up to 12.35 fetches
 * nothing while the oldest job that waits is of an active session.
 */
const POLICY = "short";

/** Makes a PgBoss that finds jobs of dead processes within seconds. It is not started. */
export function makeBoss(connectionString: string): PgBoss {
  return new PgBoss({
    connectionString,
    application_name: "pawl",
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: KEEP_SECONDS,
  });
}

/** Creates the queue, or gives it the current settings. @throws PawlError `config` if it is for other jobs */
export async function prepareQueue(boss: PgBoss, name: string, heartbeatSeconds: number): Promise<void> {
  const settings: Omit<Queue, "name"> = {
    notify: true,
    heartbeatSeconds,
    // Handlers do not fail, so a retry follows the death of a process. A session must never run out of them.
    retryLimit: 1_000_000,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    // The longest that pg-boss allows. The heartbeat finds dead processes, and a longer run is woken again.
    expireInSeconds: 24 * 60 * 60,
    deleteAfterSeconds: KEEP_SECONDS,
  };
  await boss.createQueue(name, { ...settings, policy: POLICY });
  const queue = await boss.getQueue(name);
  if (queue?.policy !== POLICY) {
    throw new PawlError(
      "config",
      `The queue "${name}" of pg-boss must have the policy "${POLICY}"; it has "${queue?.policy}". Choose another \`queue\` in pgBossEngine().`,
    );
  }
  await boss.updateQueue(name, settings);
}
