import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tool } from "@pawl/core";
import { migrate, postgresStore } from "@pawl/postgres";
import { toolHandler } from "@pawl/remote/server";
import { nodeListener } from "@pawl/sse/node";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { testDatabase } from "./support/postgres.ts";
import { serverProcess } from "./support/server-process.ts";

it("T10 a front server that is killed in the middle of a call has the call repeated, and its effect happens once", async () => {
  const database = await testDatabase();
  onTestFinished(async () => await database.drop());
  const pool = database.pool();
  await migrate(pool);
  await pool.query("CREATE TABLE orders (key text PRIMARY KEY, item text)");
  const store = postgresStore(pool);

  const calls: string[] = [];
  const order = tool({
    name: "order",
    description: "Orders an item.",
    input: z.object({ item: z.string() }),
    idempotent: true,
    execute: async ({ item }, { userId, idempotencyKey }) => {
      calls.push(idempotencyKey);
      const values = [`${userId}:${idempotencyKey}`, item];
      await pool.query("INSERT INTO orders VALUES ($1, $2) ON CONFLICT DO NOTHING", values);
      if (calls.length === 1) await new Promise(() => undefined); // until the front is dead
      return `ordered: ${item}`;
    },
  });
  const serve = toolHandler({
    tools: [order],
    authorize: ({ headers }) =>
      headers.get("authorization") === "Bearer tok_0123456789abcdef" ? { userId: "ada" } : null,
  });
  const backend = createServer(nodeListener(serve));
  await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    backend.closeAllConnections();
    backend.close();
  });
  const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;

  await store.sessions.create({ id: "s1", userId: "ada", agent: "coach" });
  const front = await serverProcess("./remote-front.ts", [database.url, url, "s1"]);
  onTestFinished(async () => await front.kill());
  await front.start();
  await expect.poll(() => calls.length, { timeout: 10_000 }).toBe(1);
  await front.kill();
  await front.start();
  const ends = async () => await Array.fromAsync(store.read("s1", { types: ["run_ended"] }));
  await expect.poll(async () => (await ends()).length, { timeout: 15_000 }).toBe(1);

  expect(calls).toEqual([calls[0], calls[0]]);
  expect((await pool.query("SELECT item FROM orders")).rows).toEqual([{ item: "ball" }]);
  const log = await Array.fromAsync(store.read("s1"));
  expect(log.find(({ type }) => type === "tool_result")?.data).toMatchObject({
    success: true,
    result: "ordered: ball",
  });
  expect(JSON.stringify(log)).not.toContain("tok_0123456789abcdef");
});
