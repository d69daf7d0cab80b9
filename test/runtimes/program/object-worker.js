// A Worker that names the object by the user, and the object of `@pawl/cloudflare`, with the agent of AGENT.
import { DurableObject } from "cloudflare:workers";
import { agentObject } from "@pawl/cloudflare";
import { agent, approval } from "@pawl/core";
import { look, model, walker } from "./program.js";

/** Asks before it looks. After two seconds without an answer, it does not. */
const asker = agent({
  name: "asker",
  model,
  instructions: "Ask.",
  tools: [look],
  hooks: [approval({ when: ["look"], expires: { afterMs: 2_000, default: { approved: false } } })],
});

export class Sessions extends DurableObject {
  #pawl = agentObject(this.ctx, {
    agents: [this.env.AGENT === "asker" ? asker : walker],
    times: { leaseTtlMs: 1_500 },
  });

  fetch(request) {
    return this.#pawl.fetch(request);
  }

  alarm() {
    return this.#pawl.alarm();
  }
}

export default {
  async fetch(request, env) {
    const userId = request.headers.get("authorization")?.replace("Bearer ", "");
    if (userId === undefined) return new Response("Please sign in.", { status: 401 });
    if (userId === "nameless") return await env.SESSIONS.get(env.SESSIONS.newUniqueId()).fetch(request);
    return await env.SESSIONS.getByName(userId).fetch(request);
  },
};
