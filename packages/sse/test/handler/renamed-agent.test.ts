import { agent, memoryStore, runtime } from "@pawl/core";
import { scriptedModel } from "@pawl/testing";
import { expect, it } from "vitest";
import { handler } from "../../src/index.ts";

it("E11 F25 tells the server, and no client, which agent of a session is gone", async () => {
  const agents = [agent({ name: "coach", model: scriptedModel([]), instructions: "Be kind." })];
  const store = memoryStore();
  await store.sessions.create({ id: "old", userId: "ada", agent: "travel" });
  const warned: string[] = [];
  const serve = handler({
    runtime: runtime({ agents, store }),
    agent: "coach",
    authorize: (request) => ({ userId: request.headers.get("x-user") ?? "" }),
    onWarning: (message) => warned.push(message),
  });
  const get = async (user: string) =>
    await serve(new Request("http://localhost/sessions/old", { headers: { "x-user": user } }));
  const texts: string[] = [];
  for (const user of ["bob", "ada", "ada"]) {
    const response = await get(user);
    expect(response.status).toBe(404);
    texts.push(await response.text());
    expect(warned).toHaveLength(user === "bob" ? 0 : 1);
  }
  // Only the session's owner hears that it has another agent.
  expect(texts.map((text) => text.includes("belongs to another agent"))).toEqual([false, true, true]);
  expect(texts.join()).not.toContain("travel");
  expect(warned[0]).toContain('a session of the agent "travel", which this runtime lacks');
});
