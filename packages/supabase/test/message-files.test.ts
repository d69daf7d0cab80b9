import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, type FileStore, runtime } from "@pawl/core";
import { diskFiles } from "@pawl/core/disk";
import { migrate, postgresStore, prune } from "@pawl/postgres";
import { supabaseFiles } from "@pawl/supabase";
import { strictModel } from "@pawl/testing";
import { createClient } from "@supabase/supabase-js";
import { expect, it, onTestFinished } from "vitest";
import { testDatabase } from "../../../test/support/postgres.ts";
import { fakeStorage, SECRET } from "./support/fake-storage.ts";

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const places: { [name: string]: () => Promise<FileStore> } = {
  "a directory": async () => {
    const directory = await mkdtemp(join(tmpdir(), "pawl-files-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    return diskFiles(directory);
  },
  "Supabase Storage": async () => {
    const fake = await fakeStorage({ bucket: "agent-files" });
    onTestFinished(() => fake.close());
    return supabaseFiles(createClient(fake.url, SECRET, { auth: { persistSession: false } }), {
      bucket: "agent-files",
    });
  },
};

it.each(Object.entries(places))(
  "F1 E9 files of messages in %s, with the log in Postgres, are the same in every process",
  async (_, place) => {
    const files = await place();
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    await migrate(database.pool());
    const process = () => {
      const model = strictModel({ rules: () => ({ text: "I see." }) });
      const looker = agent({ name: "looker", model, instructions: "You look." });
      const pawl = runtime({ agents: [looker], store: postgresStore(database.pool()), files });
      const say = async (
        input: string | { type: "file"; data: string; name: string }[],
        sessionId?: string,
      ) => await pawl.run("looker", { userId: "auth0|Ada", input, ...(sessionId && { sessionId }) }).result;
      return { pawl, model, say };
    };
    const first = process();
    const { sessionId } = await first.say([{ type: "file", data: DOT, name: "dot.png" }]);
    const second = process();
    await second.say("Again?", sessionId);
    const sent = (model: typeof first.model) =>
      JSON.stringify(model.requests.at(-1)?.messages)
        .replaceAll(',"cache_control":{"type":"ephemeral"}', "")
        .slice(0, -1);
    expect(sent(first.model)).toContain(DOT);
    expect(sent(second.model).startsWith(sent(first.model))).toBe(true);
    expect([...first.model.rejected, ...second.model.rejected]).toEqual([]);
    expect(await files.list()).toHaveLength(3);
    const rows = await database.pool().query("SELECT data::text FROM agent_session_events");
    expect(JSON.stringify(rows.rows)).not.toContain(DOT.slice(0, 40));
    const log = await Array.fromAsync(second.pawl.store.read(sessionId));
    const message = log.find(({ type }) => type === "user_message");
    await second.pawl.redact(sessionId, message?.seq ?? 0, { userId: "auth0|Ada" });
    expect(await files.list()).toEqual([]);
    await second.say([{ type: "file", data: DOT, name: "again.png" }], sessionId);
    const young = await second.say([{ type: "file", data: DOT, name: "again.png" }]);
    await database
      .pool()
      .query("UPDATE agent_sessions SET updated_at = now() - interval '1 day' WHERE id = $1", [sessionId]);
    const pruned = await prune(database.pool(), {
      olderThan: new Date(Date.now() - 60_000),
      onDeleted: async (sessions) => {
        for (const { id, userId } of sessions) await second.pawl.files.delete(userId, { sessionId: id });
      },
    });
    expect(pruned.sessions).toBe(1);
    expect(await files.list()).toHaveLength(3);
    await second.pawl.files.delete("auth0|Ada", { sessionId: young.sessionId });
    expect(await files.list()).toEqual([]);
  },
);
