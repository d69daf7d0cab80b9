// The worker of docs/guide/deployment.md: Postgres behind Hyperdrive.
import { localTail } from "@pawl/core/store";
import { postgresStore } from "@pawl/postgres";
import pg from "pg";
import { serveWith } from "./program.js";

const tail = localTail();

export default {
  fetch(request, env, ctx) {
    const db = new pg.Pool({ connectionString: env.HYPERDRIVE.connectionString, max: 5 });
    db.on("error", console.error);
    const waitUntil = (work) => ctx.waitUntil(work);
    return serveWith({ store: postgresStore(db), tail, waitUntil })(request);
  },
};
