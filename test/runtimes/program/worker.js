import { DurableObject } from "cloudflare:workers";
import { serveWith } from "./program.js";

// Made in the global scope on purpose: it must be possible.
serveWith();

/** One object for each user: all its requests share one runtime. */
export class Sessions extends DurableObject {
  #serve = serveWith();

  fetch(request) {
    return this.#serve(request);
  }
}

export default {
  fetch(request, env, ctx) {
    if (env.MODE === "object") return env.SESSIONS.getByName("ada").fetch(request);
    const waitUntil = (work) => ctx.waitUntil(work);
    return serveWith(env.MODE === "waits" ? { waitUntil } : {})(request);
  },
};
