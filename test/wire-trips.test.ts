import { migrate, postgresStore } from "@pawl/postgres";
import { supabaseStore } from "@pawl/supabase";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import postgres from "postgres";
import { afterAll, expect, it } from "vitest";
import { noStack, stack } from "../packages/supabase/test/support/stack.ts";
import { LIMITS } from "../scripts/lib/limits.mjs";
import { countingProxy } from "./support/counting-proxy.ts";
import { testDatabase } from "./support/postgres.ts";
import { stories, tell } from "./support/trip-stories.ts";

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** A migrated database, and the address at which a counting proxy stands before its server. */
async function behindProxy() {
  const database = await testDatabase();
  ends.push(() => database.drop());
  await migrate(database.pool());
  const url = new URL(database.url);
  const proxy = await countingProxy(Number(url.port));
  ends.push(() => proxy.close());
  url.hostname = "127.0.0.1";
  url.port = `${proxy.port}`;
  return { proxy, url: url.href };
}

const wires = {
  pg: async () => {
    const { proxy, url } = await behindProxy();
    const pool = new pg.Pool({ connectionString: url });
    ends.push(() => pool.end());
    return { proxy, store: postgresStore(pool) };
  },
  "postgres.js": async () => {
    const { proxy, url } = await behindProxy();
    const sql = postgres(url, { max: 1 });
    ends.push(() => sql.end());
    return { proxy, store: postgresStore(sql) };
  },
  Supabase: async () => {
    const { url, secretKey, stop } = await stack();
    ends.push(stop);
    const proxy = await countingProxy(Number(new URL(url).port));
    ends.push(() => proxy.close());
    return { proxy, store: supabaseStore(createClient(`http://127.0.0.1:${proxy.port}`, secretKey)) };
  },
};

it.each(Object.entries(wires))(
  "R3 the model is asked after two round trips on the wire, %s",
  async (name, make) => {
    if (name === "Supabase" && noStack !== undefined) return;
    const { proxy, store } = await make();
    const counted = { list: proxy.list, delayMs: 0 };
    for (const story of stories) {
      // The first time connects, and some drivers ask for the types of a statement before they send it.
      await tell(store, counted, story, "run");
      const { first } = await tell(store, counted, story, "run");
      expect([story.name, first.length]).toEqual([story.name, LIMITS.roundTripsBeforeModel]);
    }
  },
  60_000,
);
