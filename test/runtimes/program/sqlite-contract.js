// The contract of event stores, inside a Durable Object. Answers with what failed.
import { DurableObject } from "cloudflare:workers";
import { durableObject, sqliteStore } from "@pawl/sqlite";
import { eventStoreContract } from "@pawl/testing";

export class Sessions extends DurableObject {
  async fetch() {
    const store = sqliteStore(durableObject(this.ctx.storage));
    const failed = [];
    const cases = eventStoreContract(async () => ({ store }));
    for (const { name, run } of cases) await run().catch((error) => failed.push(`${name}: ${error}`));
    return Response.json({ cases: cases.length, failed, watches: store.watch !== undefined });
  }
}

export default { fetch: (request, env) => env.SESSIONS.getByName("ada").fetch(request) };
