import { DurableObject } from "cloudflare:workers";
import { localTail } from "@pawl/core/store";
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
    if (env.MODE === "plain") return serveWith()(request);
    const waitUntil = (work) => ctx.waitUntil(work);
    // Without a shared tail, a reader hears of another request's appends from the store.
    return serveWith({ waitUntil, ...(env.MODE === "own-tail" && { tail: localTail() }) })(request);
  },
};
