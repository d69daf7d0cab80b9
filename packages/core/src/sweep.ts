import { recover } from "./begin.ts";
import type { Host } from "./host.ts";

/**
 * Goes on with every run that nobody works on. A session that cannot be read is reported and does not keep the others
 * waiting.
 */
export async function sweep(host: Host): Promise<number> {
  if (host.draining) return 0;
  let taken = 0;
  const agents = [...host.agents.keys()];
  for (const session of await host.store.listRecoverable({ limit: 100, agents })) {
    const agent = host.agents.get(session.agent);
    if (agent === undefined || host.legs.has(session.id)) continue;
    try {
      if ((await recover(host, session, agent)) !== undefined) taken += 1;
    } catch (error) {
      host.report(error);
    }
  }
  return taken;
}
